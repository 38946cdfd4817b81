import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CONSOLE_PATHS } from "../../src/platform/endpoints/pages.ts";
import { askAll } from "../security/raw-connection.ts";
import { ROOT, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { assets, namedByPage, page, readAsset } from "./built-files.ts";

let gateway: RunningGateway;
beforeAll(async () => void (gateway = await startGateway({ env: { TOLLGATE_LOG_LEVEL: "debug" } })));
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.platformUrl}${path}`, { headers, decompress: false });

const SCRIPT = namedByPage.find((name) => name.startsWith("main-"))!;
const FONT = assets.find((name) => name.endsWith(".woff2"))!;

/** The security headers of pages and files. */
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

function expectSecurityHeaders({ headers }: Response): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect([name, headers.get(name)]).toEqual([name, value]);
}

describe("a page", () => {
  test("serves the console at each of its paths, also for an ID with a slash, uncached", async () => {
    for (const pattern of [...CONSOLE_PATHS, "/models/team%2Fllama", "/keys/", "/requests?model=a&range=7d"]) {
      const response = await get(pattern.replaceAll(/:\w+/g, "some-id"));
      expect([pattern, response.status, response.headers.get("cache-control")]).toEqual([pattern, 200, "no-store"]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expectSecurityHeaders(response);
      expect(await response.text()).toBe(page.replaceAll("%BASE%", ""));
    }
  });

  test("that does not exist returns 404: a problem document to programs, the console to browsers", async () => {
    for (const path of ["/nothing", "/keys/a/b", "/api/nothing"]) {
      const problem = await get(path);
      expect([problem.status, problem.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
      const shown = await get(path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
      expect([shown.status, shown.headers.get("cache-control"), await shown.text()]).toEqual([
        404,
        "no-store",
        page.replaceAll("%BASE%", ""),
      ]);
      expectSecurityHeaders(shown);
    }
    const posted = await fetch(`${gateway.platformUrl}/nothing`, { method: "POST", headers: { accept: "text/html" } });
    expect(posted.headers.get("content-type")).toBe("application/problem+json");
  });
});

describe("a file of the console", () => {
  test("is served in the best encoding that the client accepts", async () => {
    const unpack: Record<string, (bytes: Uint8Array) => Uint8Array> = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [accepted, expected] of [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip", "gzip"],
      ["br;q=0.1, gzip;q=0.2", "gzip"],
      ["identity", null],
    ] as const) {
      const response = await get(`/assets/${SCRIPT}`, { "accept-encoding": accepted });
      const { headers } = response;
      expect([accepted, headers.get("content-encoding"), headers.get("vary")]).toEqual([accepted, expected, "accept-encoding"]);
      expect(headers.get("content-type")).toMatch(/^text\/javascript; ?charset=utf-8$/);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(Buffer.from(expected ? unpack[expected]!(bytes) : bytes).toString()).toBe(readAsset(SCRIPT));
    }
  });

  test("is immutable in caches and has the security headers of a page", async () => {
    for (const name of [...namedByPage, FONT]) {
      const response = await get(`/assets/${name}`);
      expect([name, response.status, response.headers.get("cache-control")]).toEqual([name, 200, "public, max-age=31536000, immutable"]);
      expectSecurityHeaders(response);
    }
    const head = await fetch(`${gateway.platformUrl}/assets/${FONT}`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([200, "font/woff2", ""]);
  });

  test("must be in the assets folder: path traversal and unknown names return an uncached 404", async () => {
    const outside = [
      "none-such.js",
      "main.js",
      `${SCRIPT}.br`,
      "..%2findex.html",
      "..%2f..%2f..%2fpackage.json",
      "%2e%2e%2findex.html",
      "%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json",
      "..%5cindex.html",
      "%2fetc%2fpasswd",
      "%2f%2fetc%2fpasswd",
      `${SCRIPT}%00`,
      `%00${SCRIPT}`,
      `${SCRIPT}%2f..%2f${SCRIPT}`,
      `.%2f${SCRIPT}`,
      "constructor",
      "../index.html",
      "../../../package.json",
      "",
    ].map((name) => ({ method: "GET", path: `/assets/${name}`, headers: { accept: "*/*" } }));
    const surprises: string[] = [];
    await askAll(gateway.platformUrl, outside, ({ path }, { status, code, headers }) => {
      if (status !== 404 || code !== "unknown_url" || headers.get("cache-control") !== "no-store")
        surprises.push(`${path}: ${status} ${code}`);
    });
    expect(surprises).toEqual([]);
  });
});

test("serves both OpenAPI documents with the URLs of this gateway", async () => {
  for (const [name, url] of [
    ["gateway", gateway.baseUrl],
    ["platform", gateway.platformUrl],
  ]) {
    const response = await get(`/docs/${name}.json`);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    const { servers, ...served } = (await response.json()) as { servers: { url: string }[] };
    const { servers: _, ...published } = JSON.parse(readFileSync(join(ROOT, `openapi/${name}.json`), "utf8")) as { servers: unknown };
    expect(servers.map((server) => server.url)).toEqual([url!]);
    expect(served).toEqual(published);
  }
});

const linesOf = (path: string): object[] => gateway.logLines().filter((line) => line["path"] === path && line["status"] === 200);

test("logs page visits at debug level, and asset requests not at all", async () => {
  await get(`/assets/${SCRIPT}`);
  await get("/playground");
  await waitFor(() => linesOf("/playground").length > 0);
  expect(linesOf("/assets/:file")).toEqual([]);
});
