import { afterAll, expect, test } from "bun:test";
import { postBytesTo, type PostBytes } from "./post-bytes.ts";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: {
    "/echo": async (request) => new Response(await request.bytes(), { headers: { "x-type": request.headers.get("content-type") ?? "" } }),
    "/moved": () => Response.redirect("/echo"),
    "/endless": () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) })),
    "/silent": () => new Promise<Response>(() => undefined),
  },
});
afterAll(() => server.stop(true));

const at = (path: string, timeoutMs = 120_000): PostBytes => postBytesTo(new URL(path, server.url).href, timeoutMs);
const never = new AbortController().signal;

test("sends and returns bytes unchanged", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const { status, headers, body } = await at("/echo")({ "content-type": "application/x-protobuf" }, bytes, never);
  expect([status, headers.get("x-type")]).toEqual([200, "application/x-protobuf"]);
  expect(new Uint8Array(body)).toEqual(bytes);
});

test("returns a redirect without following it", async () => {
  expect((await at("/moved")({}, new Uint8Array(1), never)).status).toBe(302);
});

test("reads only the start of an endless response", async () => {
  const { body } = await at("/endless")({}, new Uint8Array(1), never);
  expect(body.length).toBeLessThan(1024 * 1024);
});

test("aborts on timeout and on the caller's cancellation", async () => {
  for (const [timeoutMs, signal] of [[50, never] as const, [120_000, AbortSignal.timeout(50)] as const]) {
    const failure: unknown = await at("/silent", timeoutMs)({}, new Uint8Array(1), signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
  }
});
