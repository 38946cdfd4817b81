import { join } from "node:path";
import { DEFAULT_URLS } from "../../../lib/net/public-address.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const ROOT = join(import.meta.dir, "../../../..");

interface PublishedDocument {
  readonly name: string;
  /** The URL in the file, and the one of this installation. */
  readonly publishedUrl: string;
  readonly url: (platform: Platform) => string;
}

/** The sources of the console's API reference, also readable by programs. */
const DOCUMENTS: readonly PublishedDocument[] = [
  { name: "gateway.json", publishedUrl: DEFAULT_URLS.gateway, url: ({ gatewayUrl }) => `${gatewayUrl}/v1` },
  { name: "platform.json", publishedUrl: DEFAULT_URLS.platform, url: ({ publicUrl }) => publicUrl() },
];

/** GET /docs/gateway.json and platform.json: both OpenAPI documents. */
export function showDocuments(platform: Platform): Operation[] {
  return DOCUMENTS.map(({ name, publishedUrl, url }) =>
    operation({
      method: "GET",
      path: `/docs/${name}`,
      access: "anyone",
      operationId: `showDocument openapi/${name}`,
      summary: "Get a document that is published with this version",
      reply: { status: 200, description: "The document.", isPage: true },
      async run() {
        const text = withServer(await Bun.file(join(ROOT, "openapi", name)).text(), publishedUrl, url(platform));
        return new Reply(text, { headers: { "content-type": "application/json;charset=utf-8" } });
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
