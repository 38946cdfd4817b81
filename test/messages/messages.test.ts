import Anthropic from "@anthropic-ai/sdk";
import { afterAll, describe, expect, test } from "bun:test";
import { CREDENTIAL, refusal, startAnthropicServer, type Script } from "../dialects/anthropic-server.ts";
import {
  blockDelta,
  blockStart,
  COUNTS,
  errorEvent,
  eventsOf,
  PING,
  START,
  text,
  thinking,
  toolUse,
  wireOf,
} from "../dialects/messages-answers.ts";
import { failureOf } from "../clients/failure-of.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { chunk, completion, events, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";

const WITHHELD = "Its reason names the operator's account";
const WORDS = [text("Hello world")];
const THOUGHT = thinking("They want the weather.", "c2lnbmVkIGJ5IENsYXVkZQ==");
const CALL = toolUse("toolu_1", "weather", { city: "Oslo" });

const SCRIPTS: Record<string, Script> = {
  "claude-chat": () => ({ content: WORDS }),
  "claude-thinking": () => ({ content: [THOUGHT, text("I look."), CALL], stopReason: "tool_use" }),
  "claude-overloaded": () => [START, PING, errorEvent("overloaded_error")],
  "claude-breaking": () => [
    START,
    blockStart(0, text("")),
    blockDelta(0, { type: "text_delta", text: "Hello" }),
    errorEvent("api_error", "secret trouble"),
  ],
  "claude-cut": () => eventsOf(WORDS).slice(0, 4),
  "claude-signature": () => refusal(400, "invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"),
  "claude-leaking": () => refusal(400, "invalid_request_error", `bad request of ${CREDENTIAL}`),
  "claude-organization": () => refusal(400, "invalid_request_error", "organization org-1234567890ab may not use this"),
  "claude-long": () => refusal(400, "invalid_request_error", `organization org-1234567890ab: ${"too long ".repeat(1000)}`),
  "claude-plain": () => new Response("organization org-1234567890ab may not use this", { status: 400 }),
  "claude-event": () => [START, PING, errorEvent("invalid_request_error", "organization org-1234567890ab may not use this")],
  "claude-late-event": () => [
    START,
    blockStart(0, text("")),
    blockDelta(0, { type: "text_delta", text: "Hello" }),
    errorEvent("invalid_request_error", "arn:aws:bedrock:eu-west-1:123456789012:x may not be used"),
  ],
  "claude-broke": () => refusal(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
};

const TOOL_CALL = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } };

const claude = startAnthropicServer(SCRIPTS);
const openai = startMockUpstream({
  chat: ({ body }) =>
    body["stream"] === true
      ? events([chunk({ role: "assistant", content: "Hello" }), chunk({ content: " world" }), chunk({}, "stop"), usageChunk()])
      : Response.json(completion()),
  weather: () =>
    events([
      chunk({ role: "assistant", reasoning_content: "They want the weather." }),
      chunk({ content: "I look." }),
      chunk({ tool_calls: [TOOL_CALL] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, "tool_calls"),
      usageChunk(),
    ]),
});

const PRICE = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
const model = (id: string, ...routes: readonly string[]): string =>
  `  - { id: ${id}, price: ${PRICE}, routes: [${routes.map((route, at) => `{ ${route}, priority: ${at + 1} }`).join(", ")}] }`;
const yaml = `endpoints: [messages]
upstreams:
  - { id: claude, dialect: anthropic, base_url: "${claude.baseUrl}", allow_private: true, credential: ${CREDENTIAL} }
  - { id: openai, dialect: openai, base_url: "${openai.baseUrl}", allow_private: true, credential: openai-canary }
models:
${Object.keys(SCRIPTS)
  .map((name) => model(name, `upstream: claude, model: ${name}`))
  .join("\n")}
  - { id: limited, max_output_tokens: 2000, parameters: { top_k: drop, temperature: refuse }, price: ${PRICE}, routes: [{ upstream: claude, model: claude-chat }] }
  - { id: cached, cache: { ttl_seconds: 600 }, price: ${PRICE}, routes: [{ upstream: claude, model: claude-chat }] }
  - { id: with-beta, context_window: 200000, price: ${PRICE}, routes: [{ upstream: claude, model: claude-chat, headers: { anthropic-beta: operators-2026-01-01 } }] }
${model("gpt", "upstream: openai, model: chat")}
${model("gpt-weather", "upstream: openai, model: weather")}
${model("elsewhere", "upstream: claude, model: claude-overloaded", "upstream: openai, model: chat")}
`;

const gateway = await startGateway({ yaml });
const { key: apiKey } = await gateway.makeKey();
const { key: otherKey } = await gateway.makeKey();
const off = await startGateway({ yaml: yaml.replace("endpoints: [messages]\n", "") });
const { key: keyWhereOff } = await off.makeKey();

afterAll(async () => {
  await Promise.all([gateway.stop(), off.stop()]);
  await Promise.all([claude.stop(), openai.stop()]);
});

const baseURL = gateway.baseUrl.replace(/\/v1$/, "");
const anthropic = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
const HELLO = { max_tokens: 100, messages: [{ role: "user" as const, content: "Hello!" }] };

/** 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25 and 7 output tokens at 2, in millionths of a dollar. */
const COST = "0.0000268";

function post(
  body: object,
  headers: Record<string, string> = { "x-api-key": apiKey },
  url = `${gateway.baseUrl}/messages`,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...HELLO, ...body }),
  });
}

async function chargeOf(requestId: string | null | undefined): Promise<unknown> {
  const { charged, provenance } = await gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${requestId}`);
  return [charged, provenance];
}

describe("counting tokens", () => {
  const PROMPT = { messages: HELLO.messages };

  test("is done by the upstream, free of charge, without credit", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "poor" });
    const poor = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models: ["*"] });
    const client = new Anthropic({ baseURL, apiKey: poor.key, maxRetries: 0 });
    const { data, request_id: id } = await client.messages.countTokens({ model: "claude-chat", ...PROMPT }).withResponse();
    expect(data).toEqual({ input_tokens: 42 });
    const logged = await gateway.platform<{ data: { request_id: string }[] }>("GET", "/api/requests");
    expect(logged.data.filter((each) => each.request_id === id)).toEqual([]);
  });

  test("is a 404 for a model whose upstreams do not count, for an unknown one and for one that the key may not call", async () => {
    const { key } = await gateway.makeKey(["claude-thinking"]);
    const count = (id: string, secret: string): Promise<Response> =>
      post({ model: id, max_tokens: undefined }, { "x-api-key": secret }, `${gateway.baseUrl}/messages/count_tokens`);
    for (const [id, secret] of [
      ["gpt", apiKey],
      ["nothing", apiKey],
      ["claude-chat", key],
    ] as const) {
      const reply = await count(id, secret);
      expect([reply.status, ((await reply.json()) as { error: { type: string } }).error.type]).toEqual([404, "not_found_error"]);
    }
  });

  test("has a rate limit of its own", async () => {
    const { key } = await gateway.makeKey();
    const client = new Anthropic({ baseURL, apiKey: key, maxRetries: 0 });
    for (let sent = 0; sent < 120; sent++) await client.messages.countTokens({ model: "claude-chat", ...PROMPT });
    const failure = await failureOf(client.messages.countTokens({ model: "claude-chat", ...PROMPT }));
    expect(failure).toMatchObject({ status: 429, error: { error: { type: "rate_limit_error" } } });
    expect(await client.messages.create({ model: "claude-chat", ...HELLO })).toMatchObject({ stop_reason: "end_turn" });
  });
});

test("the model list has the fields of Anthropic for its clients, and only for them", async () => {
  const models = await Array.fromAsync(anthropic.models.list());
  expect(models).toContainEqual(expect.objectContaining({ id: "limited", type: "model", display_name: "limited", max_tokens: 2000 }));
  const plain = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(((await plain.json()) as { data: object[] }).data[0]).not.toHaveProperty("display_name");
  const elsewhere = await fetch(`${off.baseUrl}/models`, { headers: { "x-api-key": keyWhereOff, "anthropic-version": "2023-06-01" } });
  expect(elsewhere.status).toBe(401);
});

test("requests are in the request log", async () => {
  const { request_id: id } = await anthropic.messages.create({ model: "claude-chat", ...HELLO }).withResponse();
  await eventually(
    () => gateway.platform<{ data: { request_id: string }[] }>("GET", "/api/requests"),
    ({ data }) => data.some((each) => each.request_id === id),
  );
});

describe("the same format", () => {
  test("JSON is relayed, with the model's public name, and charged by the upstream's counts", async () => {
    const { data, request_id: id } = await anthropic.messages.create({ model: "claude-chat", ...HELLO }).withResponse();
    expect(data).toMatchObject({ model: "claude-chat", content: WORDS, stop_reason: "end_turn", usage: COUNTS });
    expect(await chargeOf(id)).toEqual([COST, "measured"]);
  });

  test("a stream is relayed event by event, and charged by the upstream's counts", async () => {
    const stream = anthropic.messages.stream({ model: "claude-thinking", ...HELLO });
    const message = await stream.finalMessage();
    expect(message).toMatchObject({ model: "claude-thinking", stop_reason: "tool_use", usage: COUNTS });
    expect(message.content).toMatchObject([THOUGHT, text("I look."), CALL]);
    expect(await chargeOf(stream.request_id)).toEqual([COST, "measured"]);
  });

  test("the body changes in nothing but the model, and the format's headers arrive", async () => {
    const body = `{"max_tokens":100 , "context_management": {"edits":[]},"model":"claude-chat",
      "system":[{"type":"text","text":"x-anthropic-billing-header: v1"},{"type":"text","text":"Be\\u0020kind.","cache_control":{"type":"ephemeral"}}],
      "messages":[{"role":"user","content":"1.0"}], "metadata":{"user_id":"u"}}`;
    const headers = {
      "content-type": "application/json",
      "x-api-key": apiKey,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "one-2026-01-01,two",
    };
    const reply = await fetch(`${gateway.baseUrl}/messages?beta=true`, { method: "POST", headers, body });
    expect(reply.status).toBe(200);
    const { text: sent, headers: arrived } = claude.received.at(-1)!;
    expect(sent).toBe(body);
    expect([arrived.get("anthropic-beta"), arrived.get("x-api-key"), arrived.get("authorization")]).toEqual([
      "one-2026-01-01,two",
      CREDENTIAL,
      null,
    ]);
  });

  test("a stream arrives byte for byte, except for the model's name", async () => {
    const sent = wireOf(eventsOf([THOUGHT, text("I look."), CALL], "tool_use"));
    const reply = await post({ model: "claude-thinking", stream: true });
    expect(await reply.text()).toBe(sent.replace('"model":"claude-sonnet-4-5-20250929"', '"model":"claude-thinking"'));
    expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  });

  test("a body that mentions this gateway is not changed", async () => {
    const body =
      '{"model":"claude-chat","max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"tollgate"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"run","input":{"id":12345678901234567890,"x":1.0}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}],"tools":[{"name":"run","input_schema":{"type":"object"}}]}';
    const reply = await fetch(`${gateway.baseUrl}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey },
      body,
    });
    expect(reply.status).toBe(200);
    expect(claude.received.at(-1)!.text).toBe(body);
  });

  test("the client's betas and the operator's take effect, except a context that the model does not declare", async () => {
    const headers = { "x-api-key": apiKey, "anthropic-beta": "context-1m-2025-08-07, mine-2026-01-01" };
    await post({ model: "with-beta" }, headers);
    expect(claude.received.at(-1)!.headers.get("anthropic-beta")).toBe("operators-2026-01-01, mine-2026-01-01");
  });

  test("header bytes that cannot be sent are the client's mistake, and no failure of the upstream", async () => {
    const reply = await post({ model: "claude-chat" }, { "x-api-key": apiKey, "anthropic-beta": "\u00e9" });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("anthropic-beta") as string]);
  });

  test("a tool loop that another provider has begun goes on without thinking, however long it is", async () => {
    const result = (id: string): object => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "rain" }] });
    const thoughtful = { type: "enabled", budget_tokens: 2000 };
    const body = {
      model: "claude-chat",
      max_tokens: 4000,
      thinking: thoughtful,
      context_management: { edits: [{ type: "clear_thinking_20251015" }, { type: "clear_tool_uses_20250919" }] },
      tools: [{ name: "weather", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: [CALL] },
        result("toolu_1"),
        { role: "assistant", content: [toolUse("toolu_2", "weather", {})] },
        result("toolu_2"),
      ],
    };
    expect((await post(body)).status).toBe(200);
    expect(claude.last()).toMatchObject({
      thinking: { type: "disabled" },
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    });
    expect(
      (await post({ ...body, messages: [...body.messages, { role: "assistant", content: WORDS }, { role: "user", content: "Go on." }] }))
        .status,
    ).toBe(200);
    expect(claude.last()).toMatchObject({ thinking: thoughtful });
  });

  test("the operator's limits and policies apply", async () => {
    const reply = await post({ model: "limited", max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 31_999 }, top_k: 5 });
    expect([reply.status, reply.headers.get("x-tollgate-max-tokens"), reply.headers.get("x-tollgate-dropped")]).toEqual([
      200,
      "2000",
      "top_k",
    ]);
    expect(claude.last()).toMatchObject({ max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1999 } });
    expect(claude.last()).not.toHaveProperty("top_k");
    expect((await post({ model: "limited", temperature: 0 })).status).toBe(400);
  });

  test("a rejection of the request reaches the client in the upstream's words", async () => {
    const reply = await post({ model: "claude-signature" });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "messages.1.content.0: Invalid `signature` in `thinking` block" },
      request_id: "req_1",
    });
  });

  test.each(["claude-leaking", "claude-organization"])("%s: a rejection that names the operator's account is replaced", async (name) => {
    const reply = await post({ model: name });
    const body = await reply.text();
    expect(reply.status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(body).not.toContain(CREDENTIAL);
    expect(body).not.toContain('req_1"');
    expect(body).not.toContain("org-");
  });

  test.each(["claude-long", "claude-plain"])("%s: a rejection in another form that names the account is replaced", async (name) => {
    const reply = await post({ model: name });
    const body = await reply.text();
    expect([reply.status, body]).toEqual([400, expect.stringContaining(WITHHELD)]);
    expect(body).not.toContain("org-");
  });

  test.each(["claude-event", "claude-late-event"])("%s: an error event that names the account is replaced", async (name) => {
    const body = await (await post({ model: name, stream: true })).text();
    expect(body).toContain(WITHHELD);
    expect(body).not.toMatch(/org-|arn:/);
  });

  test("the operator's empty account is not the client's mistake", async () => {
    const reply = await post({ model: "claude-broke" });
    const body = await reply.text();
    expect([reply.status, body.includes("credit balance")]).toEqual([502, false]);
    expect(JSON.parse(body)).toMatchObject({ type: "error", error: { type: "api_error" } });
  });

  test("a stream that fails after its first content ends with an error event, and nothing after it", async () => {
    const reply = await post({ model: "claude-breaking", stream: true });
    const body = await reply.text();
    expect(body).toContain('event: error\ndata: {"type":"error","error":{"type":"api_error"');
    expect(body.trimEnd().split("\n\n").at(-1)).toStartWith("event: error\n");
    expect(body).not.toContain("secret");
  });

  test("a stream without an end is never a clean end", async () => {
    const body = await (await post({ model: "claude-cut", stream: true })).text();
    expect(body).not.toContain("message_stop");
    expect(body.trimEnd().split("\n\n").at(-1)).toStartWith("event: error\n");
  });
});

describe("another format", () => {
  test("JSON", async () => {
    const { data, request_id: id } = await anthropic.messages.create({ model: "gpt", system: "Be kind.", ...HELLO }).withResponse();
    expect(data).toMatchObject({ type: "message", model: "gpt", content: WORDS, stop_reason: "end_turn" });
    expect(data.usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 1, output_tokens: 2 });
    expect(await chargeOf(id)).toEqual(["0.0000081", "measured"]);
    expect(openai.last().body).toMatchObject({
      max_tokens: 100,
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello!" },
      ],
    });
  });

  test("a stream with thinking, text and a tool call", async () => {
    const message = await anthropic.messages.stream({ model: "gpt-weather", ...HELLO }).finalMessage();
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "They want the weather.", signature: "tollgate" },
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
    ]);
    expect(message).toMatchObject({ stop_reason: "tool_use", usage: { input_tokens: 4, cache_read_input_tokens: 1, output_tokens: 2 } });
  });

  test("tool results, images and a failed tool", async () => {
    const png = "iVBORw0KGgo=";
    await anthropic.messages.create({
      model: "gpt",
      max_tokens: 100,
      tools: [{ name: "weather", description: "Looks.", input_schema: { type: "object", properties: { city: { type: "string" } } } }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
            { type: "text", text: "Where?" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "…", signature: "s" },
            { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "no such city", is_error: true },
            { type: "text", text: "Try." },
          ],
        },
      ],
    });
    expect(openai.last().body).toMatchObject({
      stop: ["END"],
      tool_choice: "required",
      parallel_tool_calls: false,
      tools: [{ type: "function", function: { name: "weather", description: "Looks." } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
            { type: "text", text: "Where?" },
          ],
        },
        { role: "assistant", content: null, tool_calls: [{ id: "toolu_1", function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
        { role: "tool", tool_call_id: "toolu_1", content: "The tool call failed.\nno such city" },
        { role: "user", content: "Try." },
      ],
    });
  });

  test("failover to it, before any content", async () => {
    const message = await anthropic.messages.stream({ model: "elsewhere", ...HELLO }).finalMessage();
    expect(message).toMatchObject({ content: WORDS, model: "elsewhere" });
  });

  test("what it cannot express is rejected by name, and what it does without is named in a header", async () => {
    const rejected = await post({ model: "gpt", tools: [{ type: "bash_20250124", name: "bash" }] });
    expect([rejected.status, ((await rejected.json()) as { error: { message: string } }).error.message]).toEqual([
      400,
      "tools[0] is of type bash_20250124, which no upstream of this model takes.",
    ]);
    const served = await post({ model: "gpt", thinking: { type: "adaptive" } });
    expect([served.status, served.headers.get("x-tollgate-dropped")]).toEqual([200, "thinking"]);
  });

  test("thinking of another provider is not sent to Anthropic, and thinking is then off", async () => {
    const reply = await post({
      model: "claude-chat",
      max_tokens: 4000,
      thinking: { type: "enabled", budget_tokens: 2000 },
      tools: [{ name: "weather", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: [{ type: "thinking", thinking: "…", signature: "tollgate" }, CALL] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
      ],
    });
    expect(reply.status).toBe(200);
    expect(claude.last()).toMatchObject({ thinking: { type: "disabled" }, messages: [{}, { content: [CALL] }, {}] });
  });
});

describe("the edge", () => {
  test.each([
    ["neither key", {}],
    ["two valid keys", { "x-api-key": apiKey, authorization: `Bearer ${otherKey}` }],
    ["an invalid key", { "x-api-key": "sk-ant-api03-nothing" }],
  ])("%s: 401 in the format", async (_, headers) => {
    const reply = await post({ model: "claude-chat" }, headers);
    expect([reply.status, await reply.json()]).toMatchObject([401, { type: "error", error: { type: "authentication_error" } }]);
  });

  test("the same key twice is one key", async () => {
    for (const scheme of ["Bearer", "bearer"]) {
      const reply = await post({ model: "claude-chat" }, { "x-api-key": apiKey, authorization: `${scheme} ${apiKey}` });
      expect(reply.status).toBe(200);
    }
  });

  test("another method is 405, in the format", async () => {
    const reply = await fetch(`${gateway.baseUrl}/messages`, { headers: { "x-api-key": apiKey } });
    expect([reply.status, reply.headers.get("allow"), await reply.json()]).toMatchObject([405, "POST", { type: "error" }]);
  });

  test("the same Idempotency-Key at another endpoint is another request", async () => {
    const headers = { authorization: `Bearer ${apiKey}`, "idempotency-key": "at-both", "content-type": "application/json" };
    const chat = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "claude-chat", messages: HELLO.messages }),
    });
    expect([chat.status, (await post({ model: "claude-chat" }, headers)).status]).toEqual([200, 200]);
  });

  test("the response cache knows the formats and the betas apart", async () => {
    const statuses: (string | null)[] = [];
    for (const stream of [false, true]) {
      for (const beta of ["one", "one", "two"]) {
        const reply = await post({ model: "cached", stream }, { "x-api-key": apiKey, "anthropic-beta": beta });
        const body = await reply.text();
        expect(body).toContain("message");
        statuses.push(reply.headers.get("x-tollgate-cache"));
      }
    }
    expect(statuses).toEqual(["miss", "hit", "miss", "miss", "hit", "miss"]);
  });

  test("a model that does not exist is 404, in the format", async () => {
    const reply = await post({ model: "nothing" });
    expect([reply.status, await reply.json()]).toMatchObject([404, { type: "error", error: { type: "not_found_error" } }]);
  });

  test.each([
    [{ max_tokens: undefined }, "max_tokens is required."],
    [{ max_tokens: -1 }, "max_tokens must be at least 0, not -1."],
    [{ tools: [{ input_schema: { type: "object" } }] }, "tools[0].name is required."],
    [{ tools: [{ type: "tool_search_tool_regex_20251119", name: "search" }] }, "tools[0] is of type tool_search_tool_regex_20251119"],
    [{ diagnostics: { previous_message_id: "msg_1" } }, "diagnostics is about"],
    [{ container: "c_1" }, "container is about"],
    [{ mcp_servers: [{}] }, "mcp_servers is about"],
    [{ speed: "fast" }, "speed changes the price"],
    [{ fallbacks: "default" }, "fallbacks changes the price"],
    [{ compaction: { type: "summarize" } }, "compaction changes the price"],
    [{ billing_policy: { type: "billing_policy", bill_to: "user_profile" } }, "billing_policy is about"],
    [{ thread: { type: "create" } }, "thread is about"],
    [{ Speed: "fast" }, "Speed is not spelled exactly like speed"],
    [
      {
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "system",
            content: [
              { type: "tool_addition", tool: { type: "tool_definition", definition: { type: "web_search_20260318", max_uses: 1 } } },
            ],
          },
        ],
      },
      "messages[1].content[0].tool.definition is of type web_search_20260318",
    ],
    [
      {
        messages: [
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [
                  {
                    type: "document",
                    source: { type: "content", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }] },
                  },
                ],
              },
            ],
          },
        ],
      },
      "messages[0].content[0].content[0].source.content[0].cache_control.ttl must be",
    ],
    [{ messages: [{ role: "user" }] }, "messages[0].content is required."],
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0] is of type web_search_20250305"],
    [
      { messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: "f" } }] }] },
      "messages[0].content[0].source.file_id refers to an uploaded file",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "container_upload", file_id: "f" }] }] },
      "messages[0].content[0].file_id refers to an uploaded file",
    ],
    [
      {
        messages: [
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: { file_id: "f" } }] }] },
        ],
      },
      "messages[0].content[0].content[0].source.file_id refers to an uploaded file",
    ],
    [
      { tools: [{ type: "code_execution_20260120", name: "code_execution", file_ids: ["f"] }] },
      "tools[0].file_ids refers to uploaded files",
    ],
    [{ tools: [{ type: "code_execution_20260120", name: "code_execution", container_id: "c" }] }, "tools[0].container_id refers to"],
    [
      { tools: [{ type: "code_execution_20260120", name: "code_execution", container: { skills: [{ type: "custom", skill_id: "s" }] } }] },
      "tools[0].container.skills refers to skills at the provider",
    ],
    [{ tools: [{ type: "mcp_toolset", mcp_server_name: "a", connector_id: "c" }] }, "tools[0].connector_id refers to a connector"],
    [{ Model: "x" }, "Model is not spelled exactly like model"],
    [
      { system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      'system[0].cache_control.ttl must be "5m"',
    ],
  ])("%j is rejected by name", async (body, message) => {
    const reply = await post({ model: "claude-chat", ...body });
    const { error } = (await reply.json()) as { error: { type: string; message: string } };
    expect([reply.status, error.type]).toEqual([400, "invalid_request_error"]);
    expect(error.message).toStartWith(message);
  });

  test("where the endpoint is off, it is 404 with a hint", async () => {
    const reply = await post({ model: "claude-chat" }, { "x-api-key": keyWhereOff }, `${off.baseUrl}/messages`);
    expect(reply.status).toBe(404);
    expect(await reply.text()).toContain("tollgate endpoints enable messages");
  });

  test("Claude Code's session is the conversation, and its account the end user", async () => {
    const userId = JSON.stringify({ device_id: "d1", account_uuid: "", session_id: "s1" });
    const reply = await post(
      { model: "claude-chat", metadata: { user_id: userId } },
      { "x-api-key": apiKey, "x-claude-code-session-id": "s1" },
    );
    const receipt = await gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
    expect(receipt).toMatchObject({ user: "d1", conversation: "s1" });
  });

  test("the same body under one Idempotency-Key is served once, as JSON and as a stream", async () => {
    for (const stream of [false, true]) {
      const headers = { "x-api-key": apiKey, "idempotency-key": `once-${stream}` };
      const count = claude.requests.length;
      const [first, second] = [
        await (await post({ model: "claude-chat", stream }, headers)).text(),
        await post({ model: "claude-chat", stream }, headers),
      ];
      expect(await second.text()).toBe(first);
      expect([claude.requests.length - count, second.headers.get("x-tollgate-cost")]).toEqual([1, "0.00"]);
    }
  });
});
