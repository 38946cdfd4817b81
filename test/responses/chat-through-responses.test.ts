import { afterAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import { readMessage } from "../messages/read-message.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { chunk, events, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";
import { eventsIn } from "./read-response.ts";
import { rejection, RESPONSES_CREDENTIAL, saying, startResponsesServer, type ResponsesScript } from "./responses-server.ts";

/** Chat completions and Messages for models that have only the Responses API: `dialect: responses`. */

type Json = Readonly<Record<string, unknown>>;

const REASONING = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Two cities." }], encrypted_content: "ZW5j" };
const callOf = (id: string, city: string): Json => ({
  id: `fc_${id}`,
  type: "function_call",
  status: "completed",
  call_id: id,
  name: "weather",
  arguments: JSON.stringify({ city }),
});
const QUOTA = "You exceeded your current quota, please check your plan and billing details.";

const SCRIPTS: Record<string, ResponsesScript> = {
  "r-text": () => ({ items: [saying("Hello world")] }),
  "r-tools": ({ body }) => {
    const answered = (body["input"] as readonly Json[]).some(({ type }) => type === "function_call_output");
    return { items: answered ? [saying("Rain.")] : [REASONING, saying("I look."), callOf("call_1", "Oslo"), callOf("call_2", "Bergen")] };
  },
  "r-short": () => ({ items: [saying("Hel")], status: "incomplete" }),
  "r-cut": () => ({ items: [saying("Hello")], events: 4 }),
  "r-dead": () => ({ items: [saying("Hello")], events: 2 }),
  "r-context": () => rejection(400, "Your input exceeds the context window of this model.", "context_length_exceeded"),
  "r-quota": () => Response.json({ error: { message: QUOTA, type: "insufficient_quota", code: "insufficient_quota" } }, { status: 429 }),
  "r-busy": () => Response.json({ error: { message: "Rate limit reached", code: "rate_limit_exceeded" } }, { status: 429 }),
};

const responses = startResponsesServer(SCRIPTS);
const chat = startMockUpstream({ chat: () => events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "stop"), usageChunk()]) });
const PRICE = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: codex, dialect: responses, base_url: "${responses.baseUrl}", allow_private: true, credential: ${RESPONSES_CREDENTIAL} }
  - { id: local, dialect: openai, base_url: "${chat.baseUrl}", allow_private: true, credential: chat-canary }
models:
${Object.keys(SCRIPTS)
  .map((name) => `  - { id: ${name}, price: ${PRICE}, routes: [{ upstream: codex, model: ${name} }] }`)
  .join("\n")}
  - { id: summarized, price: ${PRICE}, routes: [{ upstream: codex, model: r-text, defaults: { reasoning: { summary: auto } } }] }
  - { id: both, price: ${PRICE}, routes: [{ upstream: codex, model: r-dead }, { upstream: local, model: chat, priority: 2 }] }
`,
});
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await Promise.all([responses.stop(), chat.stop()]);
});

const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello!" }];

/** 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25 and 7 output tokens at 2, in millionths of a dollar. */
const COST = "0.0000268";

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify(body),
  });
}

describe("chat completions", () => {
  test("an answer has its text, its counts and its cost, and is not stored", async () => {
    const { data, response } = await openai.chat.completions.create({ model: "r-text", messages, max_tokens: 5 }).withResponse();
    expect(data).toMatchObject({
      model: "r-text",
      choices: [{ message: { content: "Hello world" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 15,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    });
    expect(responses.last().body).toMatchObject({ store: false, max_output_tokens: 16 });
    expect([response.headers.get("x-tollgate-cost"), response.headers.get("x-tollgate-provenance")]).toEqual([COST, "measured"]);
  });

  test("the credit of a request covers the output limit that the API requires", async () => {
    const heldFor = async (maxTokens: number): Promise<unknown> => {
      const reply = await post("/chat/completions", { model: "r-text", messages, max_tokens: maxTokens }, { "x-dry-run": "1" });
      return ((await reply.json()) as Json)["hold"];
    };
    const [one, sixteen] = [await heldFor(10), await heldFor(16)];
    expect(one).toBeString();
    expect(one).toBe(sixteen);
  });

  test("an agent gets parallel calls, and hands back the reasoning that led to them", async () => {
    const request = { model: "r-tools", messages, tools: [WEATHER_TOOL] };
    const { message } = (await openai.chat.completions.create(request)).choices[0]!;
    expect(message).toMatchObject({ content: "I look.", reasoning_content: "Two cities." });
    const streamed = (await openai.chat.completions.stream(request).finalChatCompletion()).choices[0]!;
    expect(streamed).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: message.tool_calls! } });
    const results = (message.tool_calls ?? []).map(({ id }): OpenAI.ChatCompletionToolMessageParam => {
      return { role: "tool", tool_call_id: id, content: "rain" };
    });
    const next = await openai.chat.completions.create({
      model: "r-tools",
      messages: [...messages, message, ...results],
      tools: [WEATHER_TOOL],
    });
    expect(next.choices[0]!.message.content).toBe("Rain.");
    const { id: _id, ...reasoning } = REASONING;
    const called = { type: "function_call", name: "weather" };
    expect(responses.last().body["input"]).toEqual([
      { role: "user", content: "Hello!" },
      reasoning,
      { role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { ...called, call_id: "call_1", arguments: '{"city":"Oslo"}' },
      { ...called, call_id: "call_2", arguments: '{"city":"Bergen"}' },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
      { type: "function_call_output", call_id: "call_2", output: "rain" },
    ]);
  });

  test("an operator can request summaries of the reasoning for a route", async () => {
    await openai.chat.completions.create({ model: "summarized", messages, reasoning_effort: "high" });
    expect(responses.last().body["reasoning"]).toEqual({ effort: "high", summary: "auto" });
  });

  test("a streamed answer has its counts once and last", async () => {
    const chunks = await Array.fromAsync(
      await openai.chat.completions.create({ model: "r-text", messages, stream: true, stream_options: { include_usage: true } }),
    );
    expect(chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.content ?? [])).join("")).toBe("Hello world");
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 15, completion_tokens: 7 }, receipt: { cost: COST } });
  });

  test("a response that reached its limit ends with `length`", async () => {
    const { choices } = await openai.chat.completions.create({ model: "r-short", messages });
    expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: "Hel" } });
  });

  test("a stream that is cut raises, and never looks complete", async () => {
    const read = async (): Promise<void> => {
      for await (const { choices } of await openai.chat.completions.create({ model: "r-cut", messages, stream: true }))
        expect(choices[0]?.finish_reason).toBeNull();
    };
    expect(await failureOf(read())).toMatchObject({ code: "upstream_error" });
  });

  test("a failure before the first content, and a parameter without a counterpart, go to a route with another format", async () => {
    for (const body of [{}, { stop: "END" }]) {
      const reply = await post("/chat/completions", { model: "both", messages, stream: true, ...body });
      expect([reply.status, reply.headers.get("x-tollgate-upstream")]).toEqual([200, "local"]);
      expect(await reply.text()).toEndWith("data: [DONE]\n\n");
    }
  });

  test.each([
    ["r-context", 400, "context_length_exceeded"],
    ["r-quota", 502, "upstream_error"],
    ["r-busy", 503, "overloaded"],
  ])("%s has the status %i and the code %s, without words about the operator's account", async (model, status, code) => {
    const error = (await failureOf(openai.chat.completions.create({ model, messages }))) as Error;
    expect(error).toMatchObject({ status, code });
    expect(error.message).not.toContain("quota");
  });

  test("a parameter that the format cannot express is named", async () => {
    expect(await failureOf(openai.chat.completions.create({ model: "r-text", messages, stop: "END" }))).toMatchObject({
      status: 400,
      code: "unsupported_parameter",
      param: "stop",
    });
  });
});

test("a Messages client calls the same model, with tools", async () => {
  const tools = [{ name: "weather", input_schema: { type: "object" } }];
  const reply = await post("/messages", { model: "r-tools", max_tokens: 100, stream: true, messages, tools });
  const { content, stopReason, usage } = readMessage(eventsIn(await reply.text()));
  expect(stopReason).toBe("tool_use");
  expect(content.filter(({ type }) => type === "tool_use").map(({ id, input }) => [id, input])).toEqual([
    ["call_1", { city: "Oslo" }],
    ["call_2", { city: "Bergen" }],
  ]);
  expect(usage).toMatchObject({ output_tokens: 7, cache_read_input_tokens: 3 });
});

test("a Responses client's body is passed on as it is", async () => {
  const { data } = await openai.responses.create({ model: "r-text", input: "Hello!", max_output_tokens: 20 }).withResponse();
  expect(data.output_text).toBe("Hello world");
  expect(responses.last().text).toBe('{"store":false,"model":"r-text","input":"Hello!","max_output_tokens":20}');
});

test("the operator's test of the upstream counts its models", async () => {
  const outcome = await gateway.platform("POST", "/api/upstreams/codex/test");
  expect(outcome).toMatchObject({ ok: true, models: Object.keys(SCRIPTS).length });
});

test.each([
  ["/messages", { max_tokens: 100, messages: [{ role: "user", content: [{ type: "container_upload", file_id: "file_1" }] }] }],
  ["/responses", { input: [{ role: "user", content: [{ type: "input_image", image_url: { file_id: "file_1" } }] }] }],
  ["/responses", { input: "Hi", tools: [{ type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } }] }],
])("objects of the operator's account are rejected before the upstream receives the request: %s", async (path, body) => {
  const sent = responses.requests.length;
  const reply = await post(path, { model: "r-text", ...body });
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("all callers of this gateway would share")]);
  expect(responses.requests.length).toBe(sent);
});
