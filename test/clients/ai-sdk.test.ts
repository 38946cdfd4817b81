import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, isStepCount, streamText } from "ai";
import { afterAll, expect, test } from "bun:test";
import { chunk, completion, configFor, events, GOOD_CHUNKS, startMockUpstream, USAGE } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { createCountedFetch } from "./counted-fetch.ts";
import { failureOf } from "./failure-of.ts";
import { AI_WEATHER_TOOL } from "./ai-weather-tool.ts";
import { callWeather, WEATHER_CALL } from "./weather-upstream.ts";

const byHand = new ByHandUpstream();
let busyCalls = 0;

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-weather": callWeather,
  "up-eager": () => events([chunk({ role: "assistant", content: "Hello" }, null, { usage: USAGE }), chunk({}, "stop", { usage: USAGE })]),
  "up-locked": () => Response.json({ error: { message: "Incorrect API key provided." } }, { status: 401 }),
  "up-busy": () => Response.json({ error: { message: "busy" } }, { status: 503, headers: { "retry-after": "1" } }),
  "up-busy-twice": () => {
    // Fails twice, because the gateway itself retries before it asks the client to retry.
    return ++busyCalls % 3 > 0 ? Response.json({}, { status: 503, headers: { "retry-after": "1" } }) : Response.json(completion());
  },
  "up-late": () => Response.json({ error: { message: "too late" } }, { status: 504 }),
  "up-by-hand": byHand.script,
  "up-silent": () => new Promise(() => {}),
});
const gateway = await startGateway({
  env: CANCELS,
  yaml: configFor(upstream.baseUrl, ["chat", "weather", "eager", "locked", "busy", "busy-twice", "late", "by-hand", "silent"]),
});
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const countedFetch = createCountedFetch();
const settings = { name: "tollgate", baseURL: gateway.baseUrl, apiKey, includeUsage: true, fetch: countedFetch };
const tollgate = createOpenAICompatible(settings);

const prompt = "Hello!";
const counted = { inputTokens: 5, outputTokens: 2, totalTokens: 7, inputTokenDetails: { cacheReadTokens: 1 } };
const countedTwice = { inputTokens: 10, outputTokens: 4, totalTokens: 14, inputTokenDetails: { cacheReadTokens: 2 } };

const withWeather = {
  prompt,
  tools: {
    weather: AI_WEATHER_TOOL,
  },
  stopWhen: isStepCount(3),
};

/** The conversation after the tool's result. */
const WEATHER_TALK = [
  { role: "user", content: prompt },
  { role: "assistant", tool_calls: [WEATHER_CALL] },
  { role: "tool", tool_call_id: WEATHER_CALL.id, content: "rain in Oslo" },
];

test("a generated text arrives with its token counts", async () => {
  const answer = await generateText({ model: tollgate("chat"), prompt });
  expect(answer.text).toBe("Hello world");
  expect(answer.finishReason).toBe("stop");
  expect(answer.response.modelId).toBe("chat");
  expect(answer.usage).toMatchObject(counted);
});

test("a streamed text arrives in pieces, with its token counts at the end", async () => {
  const answer = streamText({ model: tollgate("chat"), prompt });
  expect(await Array.fromAsync(answer.textStream)).toEqual(["Hello", " world"]);
  expect(await answer.finishReason).toBe("stop");
  expect(await answer.usage).toMatchObject(counted);
});

test("usage on every chunk is counted once", async () => {
  const answer = streamText({ model: tollgate("eager"), prompt });
  expect(await answer.text).toBe("Hello");
  expect(await answer.totalUsage).toMatchObject(counted);
});

test("an agent calls its tool, returns the result and finishes", async () => {
  const answer = await generateText({ model: tollgate("weather"), ...withWeather });
  expect(answer.steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
  expect(upstream.last().body["messages"]).toMatchObject(WEATHER_TALK);
  expect(answer.text).toBe("Hello world");
  expect(answer.totalUsage).toMatchObject(countedTwice);
});

test("a streaming agent calls its tool, returns the result and finishes", async () => {
  const answer = streamText({ model: tollgate("weather"), ...withWeather });
  expect((await answer.steps).map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
  expect(upstream.last().body["messages"]).toMatchObject(WEATHER_TALK);
  expect(await answer.text).toBe("Hello world");
  expect(await answer.totalUsage).toMatchObject(countedTwice);
});

const wrongKey = createOpenAICompatible({ ...settings, apiKey: "sk-service-wrong" });
const wrongAddress = createOpenAICompatible({ ...settings, baseURL: `${gateway.baseUrl}/nothing` });

const PERMANENT = [
  { when: "a temperature out of range", statusCode: 400, call: { model: tollgate("chat"), temperature: 3 } },
  { when: "a wrong key", statusCode: 401, call: { model: wrongKey("chat") } },
  { when: "a model that the key may not call", statusCode: 403, call: { model: tollgate("nothing") } },
  { when: "a wrong base address", statusCode: 404, call: { model: wrongAddress("chat") } },
];

test.each(PERMANENT)("$when raises APICallError with status $statusCode, and is not retried", async ({ statusCode, call }) => {
  countedFetch.sent = 0;
  const error = await failureOf(generateText({ prompt, ...call }));
  expect(APICallError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ statusCode, isRetryable: false });
  expect(countedFetch.sent).toBe(1);
});

const PASSING = [
  { when: "a refused credential of ours", model: "locked", statusCode: 502, code: "upstream_error" },
  { when: "a busy upstream", model: "busy", statusCode: 503, code: "overloaded" },
  { when: "an upstream's timeout", model: "late", statusCode: 504, code: "upstream_timeout" },
];

test.each(PASSING)(
  "$when raises APICallError with status $statusCode, which says that it may pass",
  async ({ model, statusCode, code }) => {
    const error = await failureOf(generateText({ model: tollgate(model), prompt, maxRetries: 0 }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode, isRetryable: true, data: { error: { code } } });
  },
);

test("a request to a busy upstream is retried automatically", async () => {
  countedFetch.sent = 0;
  const { text } = await generateText({ model: tollgate("busy-twice"), prompt });
  expect(text).toBe("Hello world");
  expect(countedFetch.sent).toBe(2);
});

test("a rejected stream raises APICallError with its status", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const answer = streamText({ model: tollgate("nothing"), prompt, onError: ({ error }) => resolve(error) });
  await answer.consumeStream();
  expect(await promise).toMatchObject({ name: "AI_APICallError", statusCode: 403, isRetryable: false });
});

const BREAKS = [
  { what: "an error frame", breakOff: () => byHand.write('data: {"error":{"message":"out of memory","type":"server_error"}}\n\n') },
  { what: "an end without a finish reason", breakOff: () => byHand.end() },
];

test.each(BREAKS)("$what mid-stream is an error, never a normal end", async ({ breakOff }) => {
  const errors: unknown[] = [];
  const answer = streamText({ model: tollgate("by-hand"), prompt, onError: ({ error }) => void errors.push(error) });
  let received = "";
  for await (const text of answer.textStream) {
    received += text;
    if (text === "Hello") breakOff();
  }
  expect(received).toBe("Hello");
  expect(errors).toHaveLength(1);
  expect(await answer.finishReason).toBe("error");
});

test("aborting a stream cancels the upstream call", async () => {
  const controller = new AbortController();
  const answer = streamText({ model: tollgate("by-hand"), prompt, abortSignal: controller.signal });
  for await (const text of answer.textStream) if (text === "Hello") controller.abort();
  await byHand.cancelled;
  expect(upstream.last().signal.aborted).toBe(true);
});

test("aborting a JSON request cancels the upstream call", async () => {
  const seenBefore = upstream.requests.length;
  const controller = new AbortController();
  const failure = failureOf(generateText({ model: tollgate("silent"), prompt, abortSignal: controller.signal }));
  await waitFor(() => upstream.requests.length > seenBefore);
  controller.abort();
  expect(await failure).toMatchObject({ name: "AbortError" });
  await waitFor(() => upstream.last().signal.aborted);
});
