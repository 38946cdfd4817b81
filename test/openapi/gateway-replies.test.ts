import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chunk,
  completion,
  events,
  GOOD_CHUNKS,
  rawEvents,
  startMockUpstream,
  TEST_PRICE,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { checkBody, checkHead, type ObservedReply } from "./check-reply.ts";
import { documents } from "./documents.ts";

/** A reply of every kind, from a gateway in a separate process. check-fetched-replies.ts checks fetched replies against the document. */

const refuse = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { message: "no", type: "x", code: "x" } }, { status, headers });

const models = ["good", "breaking", "slow", "busy", "failing", "unpaid", "picky"];

const scripts = {
  "up-good": ({ body }: { body: Record<string, unknown> }) => (body["stream"] ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-breaking": () => rawEvents(`data: ${chunk({ role: "assistant", content: "Hel" })}\n\n`),
  "up-slow": () => new Promise<Response>(() => undefined),
  "up-busy": () => refuse(503, { "retry-after": "7" }),
  "up-failing": () => refuse(500),
  "up-unpaid": () => refuse(401),
  "up-picky": () => refuse(400),
};

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream(scripts);
  const route = (model: string): string => `routes: [{ upstream: mock, model: up-${model} }], price: ${TEST_PRICE}`;
  const yaml = `upstreams:
  - { id: mock, dialect: openai, base_url: ${mock.baseUrl}, allow_private: true, credential: upstream-credential }
models:
${models.map((model) => `  - { id: ${model}, ${route(model)} }`).join("\n")}
  - { id: cached, ${route("good")}, cache: { ttl_seconds: 3600 } }
  - { id: old, ${route("good")}, state: deprecated, shutdown_date: 2127-01-31, replacement: good }
`;
  gateway = await startGateway({ yaml });
  ({ key } = await gateway.makeKey());
}, 300_000);

afterAll(async () => {
  await gateway?.stop();
  await mock?.stop();
});

interface ChatOptions {
  readonly model?: string;
  readonly more?: object;
  readonly headers?: Record<string, string>;
  readonly as?: string;
}

function ask({ model = "good", more = {}, headers = {}, as = key }: ChatOptions = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${as}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }], ...more }),
  });
}

/** Reads the body too, because only a body that is read is checked. */
async function expectReply(coming: Promise<Response>, status: number, headers: readonly string[] = []): Promise<string> {
  const response = await coming;
  const body = await response.text();
  expect([response.status, body]).toEqual([status, expect.any(String)]);
  expect(headers.filter((name) => !response.headers.has(name))).toEqual([]);
  return body;
}

describe("an answer matches the document", () => {
  test("as JSON, with its token counts and its receipt", async () => {
    const body = await expectReply(ask(), 200, ["x-request-id", "x-tollgate-cost", "x-tollgate-upstream", "x-tollgate-attempts"]);
    expect(JSON.parse(body)).toHaveProperty("usage");
  });

  test("as a stream, chunk by chunk, with and without the token counts", async () => {
    for (const more of [{ stream: true }, { stream: true, stream_options: { include_usage: true } }]) {
      expect(await expectReply(ask({ more }), 200, ["x-accel-buffering"])).toEndWith("data: [DONE]\n\n");
    }
  });

  test("as a stream that breaks, with its error event", async () => {
    const body = await expectReply(ask({ model: "breaking", more: { stream: true } }), 200);
    expect(body).toContain('data: {"error":');
    expect(body).not.toContain("[DONE]");
  });

  test("as a dry run, of a request that would be answered and of one that would not", async () => {
    for (const model of ["good", "unknown"]) await expectReply(ask({ model, headers: { "x-dry-run": "1" } }), 200);
  });

  test("again under an Idempotency-Key, from the response cache, and of a deprecated model", async () => {
    const headers = { "idempotency-key": "once" };
    await expectReply(ask({ headers }), 200);
    await expectReply(ask({ headers }), 200, ["x-tollgate-replayed"]);
    await expectReply(ask({ model: "cached" }), 200, ["x-tollgate-cache"]);
    await expectReply(ask({ model: "old" }), 200, ["x-tollgate-shutdown-date", "x-tollgate-replacement"]);
  });

  test("with the state of the rate limits, also as a list of models", async () => {
    const limited = await gateway.makeKey(["*"], { limits: { requests_per_minute: 60, tokens_per_minute: 100_000 } });
    const headers = ["limit", "remaining", "reset"].flatMap((what) => [`x-ratelimit-${what}-requests`, `x-ratelimit-${what}-tokens`]);
    await expectReply(ask({ as: limited.key }), 200, headers);
    await expectReply(fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${limited.key}` } }), 200, headers);
  });
});

/** The gateway's document, without additional fields in its objects. */
function closedDocument(): object {
  return JSON.parse(JSON.stringify(documents.gateway), (_, each: { properties?: object; additionalProperties?: unknown } | null) =>
    each?.properties && each.additionalProperties === undefined ? { ...each, additionalProperties: false } : each,
  ) as object;
}

test("a completion and its chunks have no field that is not documented", async () => {
  const ajv = new Ajv({ strict: false, validateSchema: false }).addSchema(closedDocument(), "gateway");
  const problemsOf = (schema: string, value: unknown): unknown => {
    const validate = ajv.getSchema(`gateway#/components/schemas/${schema}`)!;
    return validate(value) ? undefined : validate.errors;
  };
  expect(problemsOf("ChatCompletionResponse", await (await ask()).json())).toBeUndefined();
  const stream = await (await ask({ more: { stream: true, stream_options: { include_usage: true } } })).text();
  const frames = stream.split("\n\n").filter((frame) => frame.startsWith("data: {"));
  expect(frames.length).toBeGreaterThan(1);
  for (const each of frames) expect(problemsOf("ChatCompletionChunk", JSON.parse(each.slice("data: ".length)))).toBeUndefined();
});

describe("an error matches the document", () => {
  const cases: [name: string, asked: () => Promise<Response>, status: number, headers?: string[]][] = [
    ["a wrong field", () => ask({ more: { temperature: 9 } }), 400],
    ["an upstream that rejects the request", () => ask({ model: "picky" }), 400, ["x-tollgate-upstream"]],
    ["no key", () => ask({ as: "none" }), 401, ["www-authenticate"]],
    ["no key for the list of models", () => fetch(`${gateway.baseUrl}/models`), 401, ["www-authenticate"]],
    ["a model that is not there", () => ask({ model: "unknown" }), 403],
    ["a path that is not there", () => fetch(`${gateway.baseUrl}/completions`), 404],
    ["another method", () => fetch(`${gateway.baseUrl}/chat/completions`), 405, ["allow"]],
    ["another method on the list of models", () => fetch(`${gateway.baseUrl}/models`, { method: "POST" }), 405, ["allow"]],
    ["long headers", () => ask({ headers: { "x-long": "x".repeat(20_000) } }), 413],
    ["another media type", () => ask({ headers: { "content-type": "text/plain" } }), 415],
    ["a content encoding", () => ask({ headers: { "content-encoding": "gzip" } }), 415, ["accept-encoding"]],
    ["an upstream that fails", () => ask({ model: "failing" }), 502],
    ["an upstream that rejects our credential", () => ask({ model: "unpaid" }), 502, ["x-should-retry"]],
    ["an upstream that is busy", () => ask({ model: "busy" }), 503, ["retry-after"]],
    ["an upstream that takes too long", () => ask({ model: "slow", headers: { "x-timeout-ms": "20" } }), 504, ["x-should-retry"]],
  ];
  for (const [name, asked, status, headers] of cases) {
    test(`${status}: ${name}`, async () => {
      await expectReply(asked(), status, headers);
    });
  }

  test("402: a spend cap that is reached", async () => {
    const { key: poor } = await gateway.makeKey(["*"], { caps: { total: "0.000000001" } });
    await expectReply(ask({ as: poor }), 402);
  });

  test("429: more requests than the rate limit allows", async () => {
    const { key: hasty } = await gateway.makeKey(["*"], { limits: { requests_per_minute: 1 } });
    await expectReply(ask({ as: hasty }), 200);
    await expectReply(ask({ as: hasty }), 429, ["retry-after", "x-ratelimit-reset-requests"]);
  });
});

describe("a reply that is not documented fails a test", () => {
  const reply = (more: Partial<ObservedReply> = {}): ObservedReply => ({
    method: "POST",
    path: "/chat/completions",
    status: 200,
    headers: new Headers({ "content-type": "text/event-stream" }),
    ...more,
  });

  test("by its status, a header or its media type", () => {
    expect(() => checkHead("gateway", reply())).not.toThrow();
    expect(() => checkHead("gateway", reply({ status: 418 }))).toThrow("this status");
    expect(() => checkHead("gateway", reply({ headers: new Headers({ "x-new": "1" }) }))).toThrow("x-new");
    expect(() => checkHead("gateway", reply({ headers: new Headers({ "content-type": "text/html" }) }))).toThrow("text/html");
    expect(() => checkHead("platform", reply({ method: "GET", path: "/api/keys", status: 418 }))).toThrow("this status");
  });

  test("by its body, or one event of it", () => {
    const good = `data: ${GOOD_CHUNKS[1]}\n\n`;
    expect(() => checkBody("gateway", reply(), `${good}data: [DONE]\n\n`)).not.toThrow();
    expect(() => checkBody("gateway", reply(), `${good}data: {"object":"chat.completion.chunk"}\n\n`)).toThrow("oneOf");
    const json = new Headers({ "content-type": "application/json" });
    const { usage: _, ...withoutUsage } = completion() as Record<string, unknown>;
    expect(() => checkBody("gateway", reply({ headers: json }), JSON.stringify(withoutUsage))).toThrow("usage");
    const list = reply({ method: "GET", path: "/api/upstreams", headers: json });
    expect(() => checkBody("platform", list, JSON.stringify({ data: [{}], next: null }))).toThrow("required");
  });
});
