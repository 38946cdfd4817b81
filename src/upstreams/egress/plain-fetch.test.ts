import { afterAll, expect, test } from "bun:test";
import { ApiError } from "../../requests/api-error.ts";
import { plainFetch } from "./plain-fetch.ts";

const MEBIBYTE = 1024 * 1024;

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: {
    "/echo": async (request) => {
      const { method, headers } = request;
      return Response.json({ method, type: headers.get("content-type"), own: headers.get("x-own"), body: await request.text() });
    },
    "/refusal": () => new Response("no", { status: 400, headers: { "www-authenticate": "Basic" } }),
    "/nothing": () => new Response(null, { status: 204 }),
    "/moved": () => Response.redirect("/echo"),
    "/large": () => new Response("a".repeat(MEBIBYTE)),
    "/too-large": () => new Response("a".repeat(MEBIBYTE + 1)),
    // Bun knows the length of a blob.
    "/too-large-in-parts": () => new Response(new Blob(["a".repeat(MEBIBYTE), "a"]).stream().pipeThrough(new TransformStream())),
    "/silent": () => new Promise<Response>(() => undefined),
  },
});
afterAll(() => server.stop(true));

const call = plainFetch(server.url.href, 120_000);
const at = (path: string): string => new URL(path, server.url).href;

async function failureOf(calling: Promise<Response>): Promise<string> {
  const thrown: unknown = await calling.catch((error: unknown) => error);
  return thrown instanceof ApiError ? `${thrown.code}: ${thrown.detail}` : String(thrown);
}

test("sends a form with its headers", async () => {
  const body = new URLSearchParams({ code: "a b" });
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "x-own": "1" };
  const echoed: unknown = await (await call(at("/echo"), { method: "POST", headers, body })).json();
  expect(echoed).toEqual({ method: "POST", type: "application/x-www-form-urlencoded", own: "1", body: "code=a+b" });
});

test("sends a GET without a body", async () => {
  expect(await (await call(at("/echo"), {})).json()).toMatchObject({ method: "GET", body: "" });
});

test("returns the response's status and headers", async () => {
  const refusal = await call(at("/refusal"), {});
  expect([refusal.status, refusal.headers.get("www-authenticate"), await refusal.text()]).toEqual([400, "Basic", "no"]);
  expect((await call(at("/nothing"), {})).status).toBe(204);
});

test("does not call a private address that is not allowed", async () => {
  const elsewhere = plainFetch("https://sign-in.example.com", 120_000);
  expect(await failureOf(elsewhere(at("/echo"), {}))).toContain("allow_private");
});

test("returns a redirect without following it", async () => {
  expect((await call(at("/moved"), {})).status).toBe(302);
});

test("rejects a response above 1 MiB, with or without Content-Length", async () => {
  expect(await (await call(at("/large"), {})).text()).toHaveLength(MEBIBYTE);
  expect(await failureOf(call(at("/too-large"), {}))).toBe(`upstream_error: more than ${MEBIBYTE} bytes`);
  expect(await failureOf(call(at("/too-large-in-parts"), {}))).toBe(`upstream_error: more than ${MEBIBYTE} bytes`);
});

test("aborts on timeout and on the caller's cancellation", async () => {
  expect(await failureOf(plainFetch(server.url.href, 100)(at("/silent"), {}))).toStartWith("upstream_timeout: waited 100 ms");
  expect(await failureOf(call(at("/silent"), { signal: AbortSignal.timeout(50) }))).toContain("CallerGone");
});
