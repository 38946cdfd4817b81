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
  /** Transforms the file before it is served. */
  readonly adapt?: (text: string, platform: Platform) => string;
}

/** The sources of the console's documentation, also readable by programs. */
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
    adapt: (text, { publicUrl }) => withServer(text, DEFAULT_URLS.platform, publicUrl()),
  },
  { path: "/docs/changelog.md", file: "CHANGELOG.md", type: "text/markdown" },
];

/** GET /docs/gateway.json, platform.json and changelog.md: both OpenAPI documents, and the changelog. */
export function showDocuments(platform: Platform): Operation[] {
  return DOCUMENTS.map(({ path, file, type, adapt }) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showDocument ${file}`,
      summary: "Get a document that is published with this version",
      reply: { status: 200, description: "The document.", isPage: true },
      async run() {
        const document = Bun.file(join(ROOT, file));
        return new Reply(adapt ? adapt(await document.text(), platform) : await document.bytes(), { headers: { "content-type": type } });
      },
    }),
  );
}

/**
 * The document with the URL of this installation in `servers`, which precedes any other URL in it. The text is replaced directly: parsing
 * half a megabyte of JSON for an unauthenticated request would block the event loop.
 */
function withServer(text: string, published: string, actual: string): string {
  return text.replace(JSON.stringify(published), () => JSON.stringify(actual));
}
