import { join } from "node:path";
import { DEFAULT_URLS } from "../../../lib/net/public-address.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const ROOT = join(import.meta.dir, "../../../..");

interface PublishedDocument {
  readonly path: string;
  readonly file: string;
  readonly type: string;
  /** The document as it is served, where that is not the file itself. */
  readonly adapt?: (text: string, platform: Platform) => string;
}

/** What the console's documentation is made of, and programs can read too. */
const DOCUMENTS: readonly PublishedDocument[] = [
  {
    path: "/docs/gateway.json",
    file: "openapi/gateway.json",
    type: "application/json;charset=utf-8",
    adapt: (text, { gatewayUrl }) => withServer(text, DEFAULT_URLS.gateway, `${gatewayUrl}/v1`),
  },
  {
    path: "/docs/platform.json",
    file: "openapi/platform.json",
    type: "application/json;charset=utf-8",
    adapt: (text, { address }) => withServer(text, DEFAULT_URLS.platform, address()),
  },
  { path: "/docs/changelog.md", file: "CHANGELOG.md", type: "text/markdown" },
];

/** GET /docs/gateway.json, platform.json and changelog.md: both interfaces as they are published, and what has changed. */
export function showDocuments(platform: Platform): Operation[] {
  return DOCUMENTS.map(({ path, file, type, adapt }) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showDocument ${file}`,
      summary: "A document that is published with this version.",
      reply: { status: 200, description: "The document.", isPage: true },
      async run() {
        const document = Bun.file(join(ROOT, file));
        return new Reply(adapt ? adapt(await document.text(), platform) : await document.bytes(), { headers: { "content-type": type } });
      },
    }),
  );
}

/**
 * The document with the address of this installation in `servers`, which comes before any other URL in it. It is replaced in the text:
 * parsing half a megabyte for an unauthenticated request would block the event loop for all others.
 */
function withServer(text: string, published: string, actual: string): string {
  return text.replace(JSON.stringify(published), () => JSON.stringify(actual));
}
