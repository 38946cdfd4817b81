import { ContextOverflowError } from "@langchain/core/errors";
import { HumanMessage, ToolMessage, type AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { afterAll, expect, test } from "bun:test";
import { chunk, completion, configFor, events, GOOD_CHUNKS, startMockUpstream, USAGE } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { createCountedFetch } from "./counted-fetch.ts";
import { failureOf } from "./failure-of.ts";
import { callWeather, WEATHER_CALL, WEATHER_TOOL } from "./weather-upstream.ts";

const byHand = new ByHandUpstream();

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-weather": callWeather,
  // Has token counts on every chunk, and never a role. This client would add the counts up and drop the tool call.
  "up-sloppy": () =>
    events([
      chunk({ tool_calls: [{ index: 0, ...WEATHER_CALL }] }, null, { usage: { ...USAGE, completion_tokens: 1, total_tokens: 6 } }),
      chunk({}, "tool_calls", { usage: USAGE }),
    ]),
  "up-narrow": () =>
    Response.json({ error: { message: "The maximum context length is 8 tokens.", code: "context_length_exceeded" } }, { status: 400 }),
  "up-locked": () => Response.json({ error: { message: "Incorrect API key provided." } }, { status: 401 }),
  "up-busy": () => Response.json({ error: { message: "busy" } }, { status: 503, headers: { "retry-after": "1" } }),
  "up-by-hand": byHand.script,
  "up-silent": () => new Promise(() => {}),
});
const gateway = await startGateway({
  env: CANCELS,
  yaml: configFor(upstream.baseUrl, ["chat", "weather", "sloppy", "narrow", "locked", "busy", "by-hand", "silent"]),
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const countedFetch = createCountedFetch();

function chatWith(model: string, options: { apiKey?: string; maxRetries?: number; temperature?: number } = {}): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey: key, ...options, configuration: { baseURL: gateway.baseUrl, fetch: countedFetch } });
}

/** Joins the chunks of a stream like users of this client. */
async function gather(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  const pieces = await Array.fromAsync(stream);
  return pieces.reduce((whole, piece) => whole.concat(piece));
}

const counted = { input_tokens: 5, output_tokens: 2, total_tokens: 7, input_token_details: { cache_read: 1 } };
const weatherCall = { id: WEATHER_CALL.id, name: "weather", args: { city: "Oslo" } };

test("a response arrives with its token counts", async () => {
  const answer = await chatWith("chat").invoke("Hello!");
  expect(answer.text).toBe("Hello world");
  expect(answer.usage_metadata).toMatchObject(counted);
  expect(answer.response_metadata).toMatchObject({ model_name: "chat", finish_reason: "stop" });
});

test("a streamed response arrives in chunks, and is counted once", async () => {
  const pieces = await Array.fromAsync(await chatWith("chat").stream("Hello!"));
  expect(pieces.map((piece) => piece.text).filter((text) => text !== "")).toEqual(["Hello", " world"]);
  expect(pieces.reduce((whole, piece) => whole.concat(piece)).usage_metadata).toMatchObject(counted);
});

test("a tool call arrives, and its result is sent back", async () => {
  const agent = chatWith("weather").bindTools([WEATHER_TOOL]);
  const question = new HumanMessage("Hello!");
  const call = await agent.invoke([question]);
  expect(call.tool_calls).toMatchObject([weatherCall]);
  const answer = await agent.invoke([question, call, new ToolMessage({ content: "rain", tool_call_id: WEATHER_CALL.id })]);
  expect(answer.text).toBe("Hello world");
  expect(upstream.last().body["messages"]).toMatchObject([
    { role: "user", content: "Hello!" },
    { role: "assistant", tool_calls: [WEATHER_CALL] },
    { role: "tool", tool_call_id: WEATHER_CALL.id, content: "rain" },
  ]);
});

test("the fragments of a streamed tool call are joined", async () => {
  const call = await gather(await chatWith("weather").bindTools([WEATHER_TOOL]).stream("Hello!"));
  expect(call.tool_calls).toMatchObject([weatherCall]);
  expect(call.usage_metadata).toMatchObject(counted);
});

test("a tool call with format deviations is kept, and its tokens are counted once", async () => {
  const call = await gather(await chatWith("sloppy").bindTools([WEATHER_TOOL]).stream("Hello!"));
  expect(call.tool_calls).toMatchObject([weatherCall]);
  expect(call.usage_metadata).toMatchObject(counted);
});

const PERMANENT = [
  { when: "a temperature out of range", status: 400, code: "invalid_value", chat: chatWith("chat", { temperature: 3 }) },
  { when: "a wrong key", status: 401, code: "invalid_api_key", chat: chatWith("chat", { apiKey: "sk-service-wrong" }) },
  { when: "a model that the key may not call", status: 403, code: "model_not_allowed", chat: chatWith("nothing") },
];

test.each(PERMANENT)("$when raises an error with status $status, and is not retried", async ({ status, code, chat }) => {
  countedFetch.sent = 0;
  expect(await failureOf(chat.invoke("Hello!"))).toMatchObject({ status, code });
  expect(countedFetch.sent).toBe(1);
});

test("a prompt above the context window raises the context error", async () => {
  expect(await failureOf(chatWith("narrow").invoke("Hello!"))).toBeInstanceOf(ContextOverflowError);
});

test.each([
  { when: "a refused credential of ours", model: "locked", status: 502, code: "upstream_error" },
  { when: "a busy upstream", model: "busy", status: 503, code: "overloaded" },
])("$when raises an error with status $status", async ({ model, status, code }) => {
  expect(await failureOf(chatWith(model, { maxRetries: 0 }).invoke("Hello!"))).toMatchObject({ status, code });
});

const BREAKS = [
  { what: "an error frame", breakOff: () => byHand.write('data: {"error":{"message":"out of memory","type":"server_error"}}\n\n') },
  { what: "an end without a finish reason", breakOff: () => byHand.end() },
];

test.each(BREAKS)("$what mid-stream raises an error", async ({ breakOff }) => {
  const read = async (): Promise<void> => {
    for await (const piece of await chatWith("by-hand").stream("Hello!")) if (piece.text === "Hello") breakOff();
  };
  expect(await failureOf(read())).toMatchObject({ code: "upstream_error" });
});

test("aborting a stream cancels the upstream call", async () => {
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    const stream = await chatWith("by-hand").stream("Hello!", { signal: controller.signal });
    for await (const piece of stream) if (piece.text === "Hello") controller.abort();
  };
  expect(await failureOf(read())).toMatchObject({ name: "AbortError" });
  await byHand.cancelled;
  expect(upstream.last().signal.aborted).toBe(true);
});

test("aborting a JSON request cancels the upstream call", async () => {
  const seenBefore = upstream.requests.length;
  const controller = new AbortController();
  const failure = failureOf(chatWith("silent").invoke("Hello!", { signal: controller.signal }));
  await waitFor(() => upstream.requests.length > seenBefore);
  controller.abort();
  expect(await failure).toMatchObject({ name: "AbortError" });
  await waitFor(() => upstream.last().signal.aborted);
});
