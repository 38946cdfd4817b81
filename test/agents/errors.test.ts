import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, describe, expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";

/** Errors at the endpoints of agents: they name the fields that the client has sent, also if the request was translated. */

type Json = Readonly<Record<string, unknown>>;

const upstream = startMockUpstream({
  chat: () => Response.json(completion()),
  strict: () =>
    Response.json({ error: { message: "max_tokens is too large: 9", type: "x", param: "max_tokens", code: null } }, { status: 400 }),
});
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: gemini, dialect: gemini, base_url: "${upstream.baseUrl}", allow_private: true, credential: canary }
  - { id: local, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
models:
  - { id: gemini, price: ${TEST_PRICE}, routes: [{ upstream: gemini, model: gemini-2.5-pro }] }
  - { id: strict, price: ${TEST_PRICE}, routes: [{ upstream: local, model: strict }] }
  - { id: refusing, parameters: { reasoning_effort: refuse, response_format: refuse }, price: ${TEST_PRICE}, routes: [{ upstream: local, model: chat }] }
  - { id: dropping, parameters: { reasoning_effort: drop }, price: ${TEST_PRICE}, routes: [{ upstream: local, model: chat }] }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function post(path: string, body: object, apiKey = key): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

const toResponses = (body: object, apiKey?: string): Promise<Response> =>
  post("/responses", { model: "gemini", input: "Hi", max_output_tokens: 100, ...body }, apiKey);

const toMessages = (body: object, apiKey?: string): Promise<Response> =>
  post("/messages", { model: "gemini", max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...body }, apiKey);

async function errorOf(reply: Promise<Response>): Promise<Json> {
  return ((await (await reply).json()) as { error: Json }).error;
}

const SOUND = { type: "input_audio", input_audio: { data: "QUFB", format: "ogg" } };
const CALL = { type: "function_call", call_id: "c", name: "run", arguments: "{}" };
const RESULT = { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: "ftp://a.test/b.png" }] };

describe("a Responses request", () => {
  const cases: readonly [string, object][] = [
    [
      "input[1].content[1]",
      {
        input: [
          { role: "user", content: "Hi" },
          { role: "user", content: [{ type: "input_text", text: "Hi" }, SOUND] },
        ],
      },
    ],
    ["input[2].output[0]", { input: [{ role: "user", content: "Hi" }, CALL, RESULT] }],
    ["reasoning.effort", { reasoning: { effort: "much" } }],
    ["text.format", { text: { format: { type: "xml" } } }],
    ["text.format", { model: "refusing", text: { format: { type: "json_object" } } }],
    ["reasoning.effort", { model: "refusing", reasoning: { effort: "low" } }],
    ["max_output_tokens", { model: "strict" }],
  ];
  for (const [place, body] of cases) {
    test(`is rejected for its ${place}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const { param, message } = await errorOf(toResponses(body));
      expect(param).toBe(place);
      expect(message).toStartWith(`${place} `);
    });
  }
});

describe("a Messages request", () => {
  const image = { type: "image", source: { type: "url", url: "ftp://a.test/b.png" } };
  const called = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "run", input: {} }] };
  const cases: readonly [string, object][] = [
    [
      "messages[1].content[1]",
      {
        messages: [
          { role: "user", content: "Hi" },
          { role: "user", content: [{ type: "text", text: "Hi" }, image] },
        ],
      },
    ],
    [
      "messages[2].content[0].content[0]",
      {
        messages: [
          { role: "user", content: "Hi" },
          called,
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [image] }] },
        ],
      },
    ],
    ["output_config.effort", { output_config: { effort: "much" } }],
    ["output_config.effort", { model: "refusing", output_config: { effort: "low" } }],
    ["output_config.format", { model: "refusing", output_config: { format: { type: "json_schema", schema: { type: "object" } } } }],
    ["max_tokens", { model: "strict" }],
  ];
  for (const [place, body] of cases) {
    test(`is rejected for its ${place}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      expect((await errorOf(toMessages(body)))["message"]).toStartWith(`${place} `);
    });
  }
});

test("parameters that the operator drops have the client's names", async () => {
  const response = await toResponses({ model: "dropping", reasoning: { effort: "low" } });
  const message = await toMessages({ model: "dropping", output_config: { effort: "low" } });
  expect([response.headers.get("x-tollgate-dropped"), message.headers.get("x-tollgate-dropped")]).toEqual([
    "reasoning.effort",
    "output_config.effort",
  ]);
});

test("an output limit that fits is suggested by the client's name", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "poor", name: "poor" });
  await gateway.platform("POST", "/api/accounts/poor/grants", { amount: "0.01", reference: "poor", reason: "test" });
  const made = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models: ["*"] });
  const limits = { tokens_per_minute: 2000 };
  const limited = await gateway.platform<{ key: string }>("POST", "/api/keys", {
    name: "limited",
    account: "default",
    models: ["*"],
    limits,
  });
  // A single request may exceed the limit if no other counts.
  expect((await toResponses({ model: "dropping" }, limited.key)).status).toBe(200);
  for (const [apiKey, says] of [
    [made.key, "which would pay for"],
    [limited.key, "enough for"],
  ] as const) {
    expect((await errorOf(toResponses({ model: "dropping", max_output_tokens: 50_000 }, apiKey)))["message"]).toContain(
      `${says} max_output_tokens: `,
    );
    expect((await errorOf(toMessages({ model: "dropping", max_tokens: 50_000 }, apiKey)))["message"]).toContain(`${says} max_tokens: `);
  }
});

describe("a compressed body", () => {
  const bodies: Readonly<Record<string, object>> = {
    "/messages": { model: "dropping", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    "/messages/count_tokens": { model: "dropping", messages: [{ role: "user", content: "Hi" }] },
    "/responses": { model: "dropping", input: "Hi" },
  };
  const encodings = { gzip: gzipSync, zstd: zstdCompressSync };
  for (const [path, body] of Object.entries(bodies)) {
    for (const [encoding, compress] of Object.entries(encodings)) {
      test(`with ${encoding} at ${path} is a 415 that says which encoding is accepted`, async () => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-encoding": encoding };
        const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body: compress(JSON.stringify(body)) });
        expect([reply.status, reply.headers.get("accept-encoding")]).toEqual([415, "identity"]);
        expect(((await reply.json()) as { error: Json }).error).toMatchObject({
          type: "invalid_request_error",
          message: "Send the request body without a content encoding.",
        });
      });
    }
  }

  test("whose encoding is identity is read", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-encoding": "identity" };
    const reply = await fetch(`${gateway.baseUrl}/responses`, { method: "POST", headers, body: JSON.stringify(bodies["/responses"]) });
    expect(reply.status).toBe(200);
  });
});
