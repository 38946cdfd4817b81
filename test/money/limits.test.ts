import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chunk,
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "./gate.ts";
import { expectTooMany, goMs, limitHeaders, namesFor, remaining, type WireLimits } from "./limit-replies.ts";
import { chatBody, postChat, replyOf, type Reply } from "./post-chat.ts";

const gate = new Gate();
const MODELS = ["quick", "held", "failing", "breaking", "silent"];

const upstream = startMockUpstream({
  "up-quick": whole,
  async "up-held"(request) {
    await gate.pass();
    return whole(request);
  },
  "up-failing": () => Response.json({ error: { message: "out of order" } }, { status: 500 }),
  "up-breaking": () => rawEvents(`data: ${chunk({ role: "assistant", content: "Hello" })}\n\n`),
  "up-silent": () => rawEvents(oneChunk()),
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, MODELS), env: CANCELS });

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});

beforeEach(() => {
  gate.close();
  upstream.requests.length = 0;
});

/** Seven tokens, for JSON and for streams. */
const USED = 7;

function whole({ body }: RecordedRequest): Response {
  return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion());
}

/** Sends one chunk, and nothing after it. */
function oneChunk(): ReadableStream<Uint8Array> {
  const manual = manualStream();
  manual.write(`data: ${chunk({ role: "assistant", content: "Hello" })}\n\n`);
  return manual.stream;
}

async function keyWith(limits: WireLimits): Promise<string> {
  return (await gateway.makeKey(["*"], { limits })).key;
}

function ask(key: string, model = "quick", more: object = {}): Promise<Reply> {
  return postChat(gateway, key, chatBody(model, more));
}

function listModels(key: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
}

test("requests per minute: returns 429 with Retry-After when the limit is exceeded, without a call to the upstream", async () => {
  const key = await keyWith({ requests_per_minute: 3 });
  for (const left of [2, 1, 0]) {
    const reply = await ask(key);
    expect({ status: reply.status, left: remaining(reply, "requests") }).toEqual({ status: 200, left });
    expect(reply.headers.get("x-ratelimit-limit-requests")).toBe("3");
    expect(goMs(reply.headers.get("x-ratelimit-reset-requests"))).toBeWithin(1, 60_001);
  }
  const refused = await ask(key);
  expectTooMany(refused, "This key has reached its limit of 3 requests per minute.");
  expect(remaining(refused, "requests")).toBe(0);
  expect(upstream.requests).toHaveLength(3);
});

test("requests per minute: admits exactly as many of concurrent requests as the limit", async () => {
  const key = await keyWith({ requests_per_minute: 25 });
  const all = await Promise.all(Array.from({ length: 100 }, () => ask(key)));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(25);
  for (const reply of all.filter(({ status }) => status !== 200)) expectTooMany(reply, "25 requests per minute");
});

/** The token reservation of a body: a quarter of its bytes, and its maximum output. */
function reservedFor(model: string, more: { max_tokens: number }): number {
  return Math.ceil(Buffer.byteLength(chatBody(model, more)) / 4) + more.max_tokens;
}

test("tokens per minute: reserved at admission, and corrected at settlement", async () => {
  const key = await keyWith({ tokens_per_minute: 10_000 });
  expect(remaining(await listModels(key), "tokens")).toBe(10_000);
  const more = { max_tokens: 500 };
  const answering = ask(key, "held", more);
  await gate.holds(1);
  expect(remaining(await listModels(key), "tokens")).toBe(10_000 - reservedFor("held", more));
  gate.open();
  expect(remaining(await answering, "tokens")).toBe(10_000 - USED);

  const streamed = { ...more, stream: true };
  const stream = await ask(key, "quick", streamed);
  expect(remaining(stream, "tokens")).toBe(10_000 - USED - reservedFor("quick", streamed));
  const next = await listModels(key);
  expect(remaining(next, "tokens")).toBe(10_000 - 2 * USED);
  expect(goMs(next.headers.get("x-ratelimit-reset-tokens"))).toBeWithin(1, 60_001);
});

test("tokens per minute: rejects what does not fit, until earlier requests settle with fewer", async () => {
  const more = { max_tokens: 500 };
  const key = await keyWith({ tokens_per_minute: 800 });
  const first = ask(key, "held", more);
  await gate.holds(1);
  const refused = await ask(key, "quick", more);
  const left = 800 - reservedFor("held", more);
  const enough = left - Math.ceil(Buffer.byteLength(chatBody("quick", more)) / 4);
  expectTooMany(refused, `tokens, and this key has ${left} of its 800 tokens per minute left, enough for max_tokens: ${enough}.`);
  expect((await ask(key, "quick", { max_tokens: enough })).status).toBe(200);
  expect(remaining(refused, "tokens")).toBe(800 - reservedFor("held", more));
  gate.open();
  expect((await first).status).toBe(200);
  expect((await ask(key, "quick", more)).status).toBe(200);
});

for (const stream of [false, true]) {
  test(`a failed ${stream ? "stream" : "JSON response"} returns its tokens, but counts as a request`, async () => {
    const key = await keyWith({ tokens_per_minute: 10_000, requests_per_minute: 10 });
    const failed = await ask(key, "failing", { stream, max_tokens: 500 });
    expect({ status: failed.status, code: failed.code }).toEqual({ status: 502, code: "upstream_error" });
    expect(remaining(failed, "tokens")).toBe(10_000);
    expect(remaining(failed, "requests")).toBe(9);
  });
}

test("concurrent requests: rejects requests above the limit, and admits one when another has ended", async () => {
  const key = await keyWith({ concurrent_requests: 2 });
  const held = [ask(key, "held"), ask(key, "held", { stream: true })];
  await gate.holds(2);
  for (let tries = 0; tries < 5; tries++) expectTooMany(await ask(key), "This key has reached its limit of 2 concurrent requests.");
  gate.open();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all([ask(key), ask(key)])).map(({ status }) => status)).toEqual([200, 200]);
});

/** Every way in which a request can end, for a key with a limit of one concurrent request. Resolves when the client has seen the end. */
const ENDS: Record<string, (key: string) => Promise<unknown>> = {
  "a complete JSON response": (key) => ask(key),
  "a complete stream": (key) => ask(key, "quick", { stream: true }),
  "an error of the upstream": (key) => ask(key, "failing"),
  "a stream that the upstream rejects": (key) => ask(key, "failing", { stream: true }),
  "a stream that the upstream breaks off": (key) => ask(key, "breaking", { stream: true }),
  "an invalid request": (key) => ask(key, "quick", { max_tokens: -1 }),
  "an unknown model": (key) => ask(key, "nothing"),
  "insufficient credit": (key) => ask(key, "quick", { max_tokens: 1_000_000_000 }),
  async "a client that disconnects mid-stream"(key) {
    const leaving = new AbortController();
    const response = await openChat(key, "silent", true, leaving.signal);
    await response.body!.getReader().read();
    leaving.abort();
  },
  async "a client that disconnects before its JSON response"(key) {
    const leaving = new AbortController();
    const before = gate.waiting;
    const response = openChat(key, "held", false, leaving.signal);
    await gate.holds(before + 1);
    expectTooMany(await ask(key), "concurrent request");
    leaving.abort();
    await response.catch(() => undefined);
  },
};

function openChat(key: string, model: string, stream: boolean, signal: AbortSignal): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: chatBody(model, { stream }),
    signal,
  });
}

for (const [name, end] of Object.entries(ENDS)) {
  test(`after ${name} one more request is admitted, and only one`, async () => {
    const key = await keyWith({ concurrent_requests: 1 });
    for (let round = 0; round < 3; round++) {
      gate.close();
      await end(key);
      await eventually(
        async () => (await ask(key)).status,
        (status) => status === 200,
      );
      const before = gate.waiting;
      const next = ask(key, "held");
      await gate.holds(before + 1);
      expectTooMany(await ask(key), "1 concurrent request");
      gate.open();
      expect((await next).status).toBe(200);
    }
  });
}

/** A reply of every kind to an authenticated request. */
async function replies(limits: WireLimits): Promise<Record<string, Reply>> {
  const key = await keyWith(limits);
  const held = ask(key, "held");
  await gate.holds(1);
  const busy = await ask(key);
  gate.open();
  await held;
  return {
    "200": await ask(key),
    "a stream": await ask(key, "quick", { stream: true }),
    "400": await ask(key, "quick", { max_tokens: -1 }),
    "402": await ask(key, "quick", { max_tokens: 1_000_000_000 }),
    "403": await ask(key, "nothing"),
    "429": busy,
    "502": await ask(key, "failing"),
    models: await replyOf(await listModels(key)),
  };
}

describe("x-ratelimit headers", () => {
  for (const [name, limits, expected] of [
    ["requests and tokens", { requests_per_minute: 100, tokens_per_minute: 1_000_000 }, namesFor("requests", "tokens")],
    ["requests alone", { requests_per_minute: 100 }, namesFor("requests")],
    ["tokens alone", { tokens_per_minute: 1_000_000 }, namesFor("tokens")],
    ["neither", {}, []],
  ] as const) {
    test(`are on every reply to a key with limits on ${name}`, async () => {
      const all = await replies({ ...limits, concurrent_requests: 1 });
      const statuses = Object.entries(all).map(([kind, { status }]) => [kind, status]);
      expect(Object.fromEntries(statuses)).toEqual({
        "200": 200,
        "a stream": 200,
        "400": 400,
        "402": 402,
        "403": 403,
        "429": 429,
        "502": 502,
        models: 200,
      });
      for (const [kind, reply] of Object.entries(all)) {
        expect([kind, ...limitHeaders(reply)]).toEqual([kind, ...expected]);
        for (const reset of expected.filter((header) => header.includes("-reset-")))
          expect(goMs(reply.headers.get(reset))).toBeWithin(0, 60_001);
      }
    });
  }

  test("are not on a reply to an invalid key", async () => {
    expect(limitHeaders(await ask("sk-service-wrong"))).toEqual([]);
  });
});
