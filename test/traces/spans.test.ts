import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chunk,
  completion,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  TEST_PRICE,
} from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { plainAttributes, startCollector, type SeenSpan } from "./collector.ts";

const held = manualStream();

const first = startMockUpstream({
  "up-good": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-pair": () => new Response("down", { status: 503 }),
  "up-refusing": () => Response.json({ error: { message: "the prompt is unfit", type: "invalid_request_error" } }, { status: 400 }),
  "up-cut": () =>
    rawEvents(
      GOOD_CHUNKS.slice(0, 3)
        .map((each) => `data: ${each}\n\n`)
        .join(""),
    ),
  "up-held": () => rawEvents(held.stream),
});
const second = startMockUpstream({ "up-pair": () => Response.json(completion()), "up-spare": () => Response.json(completion()) });

const yaml = `
endpoints: [messages, responses]
upstreams:
  - { id: first, dialect: openai, base_url: ${first.baseUrl}, allow_private: true, credential: upstream-credential-canary }
  - { id: second, dialect: openai, base_url: ${second.baseUrl}, allow_private: true }
models:
${["good", "refusing", "cut", "held"].map((id) => `  - { id: ${id}, routes: [{ upstream: first, model: up-${id} }], price: ${TEST_PRICE} }`).join("\n")}
  - id: pair
    routes: [{ upstream: first, model: up-pair, priority: 1 }, { upstream: second, model: up-pair, priority: 2 }]
    price: ${TEST_PRICE}
  - { id: spare, routes: [{ upstream: second, model: up-spare }], price: ${TEST_PRICE} }
  - { id: falling, routes: [{ upstream: first, model: up-pair }], price: ${TEST_PRICE}, fallback_models: [spare] }
`;

const collector = startCollector();
let gateway: RunningGateway;
let key: { id: string; key: string };

beforeAll(async () => {
  gateway = await startGateway({
    yaml,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-token-canary",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,team=a%20b",
      OTEL_BSP_SCHEDULE_DELAY: "50",
      ...CANCELS,
    },
  });
  key = await gateway.makeKey();
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([collector.stop(), first.stop(), second.stop()]);
});

async function ask(
  model: string,
  more: object = {},
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model, messages: [{ role: "user", content: "prompt-canary" }], ...more }),
    ...init,
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json", ...init.headers },
  });
}

/** Sends a request, reads the response completely, and returns the spans. */
async function traced(model: string, more: object = {}, headers: Record<string, string> = {}): Promise<[SeenSpan, ...SeenSpan[]]> {
  const response = await ask(model, more, { headers });
  await response.text();
  return collector.spansOf(response.headers.get("x-request-id")!);
}

function expectWithin(child: SeenSpan, parent: SeenSpan): void {
  expect([child.traceId, child.parentId]).toEqual([parent.traceId, parent.spanId]);
  expect(child.startNanos >= parent.startNanos && child.startNanos <= child.endNanos && child.endNanos <= parent.endNanos).toBe(true);
}

test("the request log has the trace id, new or from the client", async () => {
  const caller = `00-${"c".repeat(32)}-${"d".repeat(16)}-01`;
  for (const headers of [{}, { traceparent: caller }]) {
    const [own] = await traced("good", {}, headers);
    const logged = await gateway.platform<object>("GET", `/api/requests/${String(own.attributes["tollgate.request_id"])}`);
    expect(logged).toMatchObject({ trace_id: own.traceId });
  }
});

test("the server span has the end user, the conversation and the tags", async () => {
  const [own] = await traced("good", { user: "ada" }, { "x-conversation-id": "c-1", "x-tollgate-tags": "team=search,env=prod" });
  expect(own.attributes).toMatchObject({
    "user.id": "ada",
    "gen_ai.conversation.id": "c-1",
    "tollgate.tag.team": "search",
    "tollgate.tag.env": "prod",
  });
});

test("a JSON response has a server span and a client span, with the attributes of the conventions", async () => {
  const before = BigInt(Date.now()) * 1_000_000n;
  const [own, attempt, ...rest] = await traced("good", { temperature: 1, top_p: 0.5, max_tokens: 77, seed: 3, n: 1 });
  const asked = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "first",
    "gen_ai.request.max_tokens": 77n,
    "gen_ai.request.temperature": 1,
    "gen_ai.request.top_p": 0.5,
    "gen_ai.request.seed": 3n,
  };
  const answered = {
    "gen_ai.response.id": "chatcmpl-mock",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 5n,
    "gen_ai.usage.output_tokens": 2n,
    "gen_ai.usage.cache_read.input_tokens": 1n,
  };
  expect([own.name, own.kind, own.isError, own.parentId]).toEqual(["chat good", "SPAN_KIND_SERVER", false, undefined]);
  expect(own.attributes).toEqual({
    ...asked,
    ...answered,
    "gen_ai.request.model": "good",
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "http.response.status_code": 200n,
    "tollgate.request_id": expect.stringMatching(/^req_/),
    "tollgate.key": key.id,
    "tollgate.account": "default",
    "tollgate.outcome": "complete",
    "tollgate.attempts": 1n,
    "tollgate.cost": 0.0000081,
    "tollgate.provenance": "measured",
  });
  expect([attempt!.name, attempt!.kind, attempt!.isError]).toEqual(["chat up-good", "SPAN_KIND_CLIENT", false]);
  expect(attempt!.attributes).toEqual({
    ...asked,
    ...answered,
    "gen_ai.request.model": "up-good",
    "server.address": "127.0.0.1",
    "server.port": BigInt(new URL(first.baseUrl).port),
    "tollgate.upstream": "first",
    "tollgate.attempt.number": 1n,
    "tollgate.attempt.outcome": "answered",
  });
  expectWithin(attempt!, own);
  // One millisecond of tolerance: the wall clock is read in whole milliseconds.
  expect(own.startNanos >= before - 1_000_000n && own.endNanos <= BigInt(Date.now() + 1) * 1_000_000n).toBe(true);
  expect(rest).toEqual([]);
});

test("a stream is exported when it has ended, and its client span lasts as long", async () => {
  const [own, attempt] = await traced("good", { stream: true });
  expect(own.attributes).toMatchObject({
    "gen_ai.request.stream": true,
    "gen_ai.response.id": "chatcmpl-mock",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.output_tokens": 2n,
    "tollgate.outcome": "complete",
  });
  expectWithin(attempt!, own);
  expect(attempt!.endNanos).toBe(own.endNanos);
  const [ofRequest, ofCall] = [own, attempt!].map((span) => span.attributes["gen_ai.response.time_to_first_chunk"] as number);
  expect(ofRequest!).toBeGreaterThan(ofCall!);
  expect(ofCall!).toBeGreaterThan(0);
});

const OTHER_FORMATS = [
  ["messages", { max_tokens: 77, messages: [{ role: "user", content: "Hi" }] }, "end_turn"],
  ["responses", { max_output_tokens: 77, input: "Hi" }, "completed"],
] as const;

for (const [name, body, reason] of OTHER_FORMATS) {
  for (const stream of [false, true]) {
    test(`${stream ? "a stream" : "a JSON response"} of /v1/${name} has its id, its end and its usage`, async () => {
      const reply = await fetch(`${gateway.baseUrl}/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "good", stream, ...body }),
      });
      const id = /"id":"((?:msg|resp)_\w+)"/.exec(await reply.text())![1];
      const [own] = await collector.spansOf(reply.headers.get("x-request-id")!);
      expect(own.attributes).toMatchObject({
        "http.route": `/v1/${name}`,
        "gen_ai.response.id": id,
        "gen_ai.response.finish_reasons": [reason],
        "gen_ai.usage.input_tokens": 5n,
        "gen_ai.usage.output_tokens": 2n,
      });
    });
  }
}

test("continues a client's trace, also at the upstream", async () => {
  const traceparent = "00-12345678901234567890123456789012-1234567890123456-01";
  const [own, attempt] = await traced("good", {}, { traceparent, tracestate: "foo=1,bar=2" });
  expect([own.traceId, own.parentId, own.state]).toEqual(["12345678901234567890123456789012", "1234567890123456", "foo=1,bar=2"]);
  expectWithin(attempt!, own);
  expect(first.last().headers.get("traceparent")).toBe(`00-${own.traceId}-${attempt!.spanId}-01`);
  expect(first.last().headers.get("tracestate")).toBe("foo=1,bar=2");
});

test("starts a new trace without a valid traceparent", async () => {
  const wrong = { traceparent: "00-12345678901234567890123456789012-0000000000000000-01", tracestate: "foo=1" };
  const [[one, call], [other]] = [await traced("good", {}, wrong), await traced("good")];
  expect([one.parentId, one.state, other.parentId]).toEqual([undefined, undefined, undefined]);
  expect(new Set([one.traceId, other.traceId, "12345678901234567890123456789012"]).size).toBe(3);
  expect(call!.traceId).toBe(one.traceId);
});

test("an unsampled trace is not exported, and the upstream receives the decision", async () => {
  const response = await ask("good", {}, { headers: { traceparent: "00-aaaabbbbccccddddeeeeffff00001111-1234567890123456-00" } });
  await response.text();
  expect(first.last().headers.get("traceparent")).toMatch(/^00-aaaabbbbccccddddeeeeffff00001111-[0-9a-f]{16}-00$/);
  await traced("good");
  expect(collector.spans().filter(({ traceId }) => traceId === "aaaabbbbccccddddeeeeffff00001111")).toEqual([]);
});

test("each attempt has a span: a failed one has its error, and each upstream receives its own span id", async () => {
  const [own, failed, answered] = await traced("pair");
  expect([own.isError, own.attributes["tollgate.attempts"], own.attributes["error.type"]]).toEqual([false, 2n, undefined]);
  expect([failed!.isError, failed!.attributes["error.type"], failed!.attributes["tollgate.upstream"]]).toEqual([true, "failed", "first"]);
  expect(failed!.attributes["gen_ai.usage.output_tokens"]).toBeUndefined();
  expect([answered!.isError, answered!.attributes["tollgate.upstream"]]).toEqual([false, "second"]);
  for (const attempt of [failed!, answered!]) expectWithin(attempt, own);
  expect(failed!.endNanos <= answered!.startNanos).toBe(true);
  expect(first.last().headers.get("traceparent")).toContain(failed!.spanId);
  expect(second.last().headers.get("traceparent")).toContain(answered!.spanId);
});

test("a fallback is named with its reason: the requested model, the one that answered, and the attempts of each", async () => {
  const [own, ...attempts] = await traced("falling");
  const [failed, answered] = [attempts[0], attempts.at(-1)];
  const names = ["gen_ai.request.model", "gen_ai.response.model", "tollgate.fallback", "error.type"] as const;
  expect([own.name, ...names.map((name) => own.attributes[name])]).toEqual(["chat falling", "falling", "spare", "error", undefined]);
  const attemptNames = ["gen_ai.request.model", "tollgate.upstream", "tollgate.attempt.outcome", "tollgate.attempt.fallback"] as const;
  expect([failed!, answered!].map(({ attributes }) => attemptNames.map((name) => attributes[name]))).toEqual([
    ["up-pair", "first", "failed", undefined],
    ["up-spare", "second", "answered", "spare"],
  ]);
  expect((await traced("good"))[0].attributes).not.toHaveProperty("tollgate.fallback");
});

test("a rejection is not a server error: it has the code, without details", async () => {
  const [own, ...attempts] = await traced("nothing-canary");
  expect([own.name, own.isError, attempts.length]).toEqual(["chat", false, 0]);
  expect(own.attributes).toMatchObject({
    "error.type": "model_not_allowed",
    "http.response.status_code": 403n,
    "tollgate.outcome": "refused",
    "tollgate.attempts": 0n,
  });
  const [refused, call] = await traced("refusing");
  expect([refused.isError, call!.isError, call!.attributes["error.type"]]).toEqual([false, true, refused.attributes["error.type"]]);
});

test("a stream that an upstream cuts off is an error of both spans", async () => {
  const [own, attempt] = await traced("cut", { stream: true });
  expect([own.isError, own.attributes["http.response.status_code"], own.attributes["tollgate.outcome"]]).toEqual([true, 200n, "failed"]);
  expect([own.attributes["error.type"], attempt!.attributes["error.type"], attempt!.isError]).toEqual([
    "upstream_error",
    "upstream_error",
    true,
  ]);
});

test("a client that disconnects has that outcome, and no error", async () => {
  const leaving = new AbortController();
  held.write(`data: ${chunk({ role: "assistant", content: "Hel" })}\n\n`);
  const response = await ask("held", { stream: true }, { signal: leaving.signal });
  await response.body!.getReader().read();
  leaving.abort();
  await held.cancelled;
  const [own, attempt] = await collector.spansOf(response.headers.get("x-request-id")!);
  expect([own.isError, attempt!.isError, own.attributes["tollgate.outcome"]]).toEqual([false, false, "client_closed"]);
  expectWithin(attempt!, own);
});

test("a request without a valid key is not exported: it could displace others", async () => {
  const traceparent = "00-99998888777766665555444433332222-1234567890123456-01";
  const response = await ask("good", {}, { headers: { traceparent, authorization: "Bearer sk-service-nobody" } });
  expect(response.status).toBe(401);
  await traced("good");
  expect(collector.spans().filter(({ traceId }) => traceId === "99998888777766665555444433332222")).toEqual([]);
});

test("the collector is called by OTLP with the operator's headers, and receives the resource attributes", async () => {
  await traced("good");
  const { path, headers, decoded } = collector.exports[0]!;
  expect(path).toBe("/v1/traces");
  expect([headers.get("content-type"), headers.get("content-encoding")]).toEqual(["application/x-protobuf", "gzip"]);
  expect(headers.get("authorization")).toBe("Bearer collector-token-canary");
  const { resource, scopeSpans } = decoded.resourceSpans[0]!;
  expect(plainAttributes(resource.attributes)).toMatchObject({
    "service.name": "tollgate",
    "service.version": expect.any(String),
    "deployment.environment.name": "test",
    team: "a b",
  });
  expect(scopeSpans[0]!.scope.name).toBe("tollgate");
  // The log has the trace ID, so that a log line leads to its trace, but no token.
  await waitFor(() => gateway.logLines().some((line) => /^[0-9a-f]{32}$/.test(String(line["trace_id"]))));
  expect(gateway.output()).not.toContain("collector-token-canary");
});

test("exports contain no message content and no secret", async () => {
  for (const stream of [false, true]) await traced("good", { stream, stop: ["stop-canary"] });
  const all = Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString("latin1");
  expect(all).toContain("chat up-good");
  for (const word of ["canary", "Hello", "world", key.key, "the prompt is unfit", "nothing-"]) expect(all).not.toContain(word);
});
