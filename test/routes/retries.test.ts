import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chunk, completion } from "../support/upstreams/mock-upstream.ts";
import { endsIn, ledgerOf, priceOf } from "../money/ledger-of.ts";
import { follow } from "../support/gateway/start-gateway.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream, type RawUpstream } from "../streams/raw-upstream.ts";
import { FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, type ModelTerms } from "./routed-gateway.ts";

const sound = new FlakyUpstream("sound");
const failing = new FlakyUpstream("failing", rejectsWith(500));
const worse = new FlakyUpstream("worse", rejectsWith(503, { "retry-after": "30" }));
/** Resolves when the client has received the first chunk of the stream that will fail. */
const cut = Promise.withResolvers<void>();
let raw: RawUpstream;
let routed: RoutedGateway;

const JSON_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n`;

/** Routes first to the upstream that fails in the named way, then to the healthy upstream. */
function brokenFirst(id: string): ModelTerms {
  return {
    id,
    routes: [
      { upstream: "raw", model: id },
      { upstream: "sound", model: "m", priority: 2 },
    ],
  };
}

/** Each model has its own upstream model, and therefore its own health. */
function inOrder(id: string, upstreams: readonly string[]): ModelTerms {
  return { id, routes: upstreams.map((upstream, at) => ({ upstream, model: `m-${id}`, priority: at + 1 })) };
}

beforeAll(async () => {
  raw = await startRawUpstream({
    "cut-json": (socket) => void socket.end(JSON_HEAD + JSON.stringify(completion())),
    "cut-stream": async (socket) => {
      const begun = [chunk({ role: "assistant", content: "" }), chunk({ content: "Hello" })].map((event) => `data: ${event}\n\n`);
      socket.write(EVENTS_HEAD + bodyPart(begun.join("")));
      await cut.promise;
      socket.end();
    },
    "no-word": (socket) => void socket.end(EVENTS_HEAD + bodyPart(": thinking\n\n")),
  });
  const places = [sound, failing, worse, { id: "raw", port: Number(new URL(raw.baseUrl).port) }];
  const models = [
    ...["cut-json", "cut-stream", "no-word"].map(brokenFirst),
    inOrder("second", ["failing", "sound"]),
    inOrder("third", ["failing", "worse", "sound"]),
    inOrder("none", ["failing", "worse"]),
    inOrder("first", ["sound", "failing"]),
  ];
  routed = await RoutedGateway.start(routesConfig(places, models));
});
afterAll(async () => {
  await routed.stop();
  raw.stop();
  await Promise.all([sound, failing, worse].map((upstream) => upstream.stop()));
});

describe("before the first byte", () => {
  test("a JSON response that is cut fails over: the client has received nothing of it", async () => {
    const reply = await routed.ask("cut-json");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-tollgate-attempts")).toBe("2");
    expect((JSON.parse(reply.text) as { choices: object[] }).choices.length).toBe(1);
  });

  test("a stream that ends without a chunk fails over", async () => {
    const reply = await routed.ask("no-word", { stream: true });
    expect(reply.headers.get("x-tollgate-attempts")).toBe("2");
    expect(reply.text).toEndWith("data: [DONE]\n\n");
  });
});

test("a stream that fails after its first chunk does not fail over, and the received part is charged", async () => {
  const before = sound.calls;
  const response = await routed.open("cut-stream", { stream: true });
  let text = "";
  await follow(response.body!, (piece) => {
    text += piece;
    if (text.includes('"Hello"')) cut.resolve();
  });
  expect(response.status).toBe(200);
  expect(text).toContain('"code":"upstream_error"');
  expect(text).not.toContain("[DONE]");
  expect(sound.calls).toBe(before);
  const receipt = await routed.receipt({ requestId: response.headers.get("x-request-id")! });
  expect(receipt).toMatchObject({
    state: "settled",
    reason: "the upstream failed mid-stream",
    attempts: 1,
    upstream: "raw",
    upstream_model: "cut-stream",
    provenance: "estimated",
  });
  expect(Number(receipt["charged"])).toBeGreaterThan(0);
});

describe.each([false, true])("each attempt is in the reply headers and in the receipt (stream: %p)", (stream) => {
  test.each([
    ["first", "sound", []],
    ["second", "sound", ["failing"]],
    ["third", "sound", ["failing", "worse"]],
  ] as [string, string, string[]][])("of %s, answered by %s after %j", async (model, upstream, failed) => {
    const reply = await routed.ask(model, { stream });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-tollgate-upstream")).toBe(upstream);
    expect(reply.headers.get("x-tollgate-attempts")).toBe(String(failed.length + 1));
    const receipt = await routed.receipt(reply);
    expect(receipt).toMatchObject({
      state: "settled",
      reason: "complete",
      upstream,
      upstream_model: `m-${model}`,
      attempts: failed.length + 1,
    });
    const attempts = receipt["failed_attempts"] as Record<string, unknown>[];
    expect(attempts.map((attempt) => attempt["upstream"])).toEqual(failed);
    for (const attempt of attempts)
      expect(attempt).toMatchObject({ model: `m-${model}`, fault: "failed", detail: expect.stringContaining("of a test") });
    const end = endsIn(ledgerOf(routed.gateway)).get(reply.requestId)!;
    expect([end.kind, end.amount_nanos]).toEqual(["settle", priceOf(5, 2, 1)]);
  });

  test("where all attempts fail, nothing is charged, and the release has the reasons", async () => {
    const reply = await routed.ask("none", { stream });
    expect([reply.status, reply.code]).toEqual([503, "overloaded"]);
    expect(reply.headers.get("x-tollgate-upstream")).toBe("worse");
    expect(reply.headers.get("x-tollgate-attempts")).toBe("2");
    expect(reply.headers.get("retry-after")).toBe("30");
    const receipt = await routed.receipt(reply);
    expect(receipt).toMatchObject({
      state: "released",
      charged: "0.00",
      failed_attempts: [{ upstream: "failing" }, { upstream: "worse" }],
    });
    expect(endsIn(ledgerOf(routed.gateway)).get(reply.requestId)!.kind).toBe("release");
  });
});

test("route headers can be turned off", async () => {
  const silent = await RoutedGateway.start(routesConfig([sound, failing], [inOrder("second", ["failing", "sound"])]), {
    TOLLGATE_ROUTE_HEADERS: "off",
  });
  try {
    for (const stream of [false, true]) {
      const { status, headers } = await silent.ask("second", { stream });
      expect([status, headers.get("x-tollgate-upstream"), headers.get("x-tollgate-attempts")]).toEqual([200, null, null]);
    }
  } finally {
    await silent.stop();
  }
});
