import { ApiError } from "../../requests/api-error.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { keyPagePolicy } from "../security-headers.ts";
import { join } from "node:path";
import { DEFAULT_URLS } from "../../lib/net/public-address.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

/** GET /assets/:file: scripts, styles and fonts of the console. */
export function showAsset(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/assets/:file",
    access: "anyone",
    operationId: "showAsset",
    summary: "Get a file of the console",
    query: "any",
    // Not logged: a visit loads many files, and the log already contains the visit.
    isProbe: true,
    reply: { status: 200, description: "The file.", isPage: true },
    async run({ param, exchange }) {
      const asset = await platform.console.asset(param("file"), exchange.request.headers.get("accept-encoding"));
      if (!asset) throw new ApiError("unknown_url", "There is no such file.");
      // The file name changes with its contents.
      exchange.isImmutable = true;
      return asset;
    },
  });
}

/** GET /, GET /keys, …: the console. It contains no secret, because all data comes from the API. */
export function showConsole(platform: Platform): Operation[] {
  return CONSOLE_PATHS.map((path) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showConsole at ${path}`,
      summary: "Open the console",
      query: "any",
      reply: { status: 200, description: "The console.", isPage: true },
      run: () => platform.console.page(),
    }),
  );
}

/**
 * GET /key: a static page for the holders of keys, who may have no account on the platform. The key that they enter stays in their browser,
 * which sends it only to the gateway: the platform never receives it.
 */
export function showKeyPage(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/key",
    access: "anyone",
    operationId: "showKeyPage",
    summary: "Open the page for holders of keys",
    query: "any",
    reply: { status: 200, description: "The page.", isPage: true },
    run({ exchange }) {
      const gatewayUrl = `${platform.gatewayUrl}/v1`;
      exchange.contentSecurityPolicy = keyPagePolicy(gatewayUrl);
      return platform.console.keyPage(gatewayUrl);
    },
  });
}

const ROOT = join(import.meta.dir, "../../..");

interface PublishedDocument {
  readonly name: string;
  /** The name of the file, if it depends on the settings of this installation. */
  readonly fileOf?: (platform: Platform) => string;
  /** The URL in the file, and the URL of this installation. */
  readonly publishedUrl: string;
  readonly url: (platform: Platform) => string;
}

/** The sources of the console's API reference, which programs can also read. */
const DOCUMENTS: readonly PublishedDocument[] = [
  {
    name: "gateway.json",
    fileOf: ({ catalog }) => (catalog.endpoints().size > 0 ? "gateway-with-endpoints.json" : "gateway.json"),
    publishedUrl: DEFAULT_URLS.gateway,
    url: ({ gatewayUrl }) => `${gatewayUrl}/v1`,
  },
  { name: "platform.json", publishedUrl: DEFAULT_URLS.platform, url: ({ publicUrl }) => publicUrl() },
];

/** GET /docs/gateway.json and platform.json: both OpenAPI documents. */
export function showDocuments(platform: Platform): Operation[] {
  return DOCUMENTS.map(({ name, fileOf, publishedUrl, url }) =>
    operation({
      method: "GET",
      path: `/docs/${name}`,
      access: "anyone",
      operationId: `showDocument openapi/${name}`,
      summary: "Get a document that is published with this version",
      reply: { status: 200, description: "The document.", isPage: true },
      async run() {
        const text = withServer(await Bun.file(join(ROOT, "openapi", fileOf?.(platform) ?? name)).text(), publishedUrl, url(platform));
        return new Reply(text, { headers: { "content-type": "application/json;charset=utf-8" } });
      },
    }),
  );
}

/**
 * The document with the URL of this installation in `servers`, which precedes any other URL in it. The text is replaced without parsing:
 * parsing half a megabyte of JSON for an unauthenticated request would block the event loop.
 */
function withServer(text: string, published: string, actual: string): string {
  return text.replace(JSON.stringify(published), () => JSON.stringify(actual));
}

/** The paths of the console. It is a single-page application; other paths return 404. */
export const CONSOLE_PATHS = [
  "/",
  "/welcome",
  "/start",
  "/requests",
  "/requests/:id",
  "/models",
  "/models/:id",
  "/keys",
  "/keys/:id",
  "/accounts",
  "/accounts/:id",
  "/margin",
  "/price-lists",
  "/price-lists/:id",
  "/upstreams",
  "/upstreams/:id",
  "/instances",
  "/people",
  "/people/:id",
  "/audit",
  "/alerts",
  "/alerts/:id",
  "/settings",
  "/settings/:section",
  "/playground",
  "/docs",
  "/docs/:page",
  "/docs/:folder/:page",
] as const;
