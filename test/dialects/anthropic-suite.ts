import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, streamText } from "ai";
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { AI_WEATHER_TOOL } from "../clients/ai-weather-tool.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import { expectBrokenStream, expectGoodStream, textOf } from "../support/upstreams/conformance.ts";
import { waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { CALLS, THOUGHT } from "./anthropic-scripts.ts";
import type { AnthropicServer } from "./anthropic-server.ts";
import { COUNTED } from "./messages-answers.ts";

const HELLO: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello!" }];

/**
 * The cost of a request: 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25 and 7 output tokens at 2, in millionths
 * of a dollar.
 */
const COST = "0.0000268";

/** The test setup: a gateway with a model for each script, and the server behind it. */
export interface AnthropicSetup {
  readonly server: AnthropicServer;
  readonly gateway: RunningGateway;
  readonly apiKey: string;
  /** A secret that only the server may receive. */
  readonly credential: string;
}

/** Tests clients through the dialect, at Anthropic and at Vertex AI. */
export function describeAnthropicClients({ server, gateway, apiKey, credential }: AnthropicSetup): void {
  const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });

  async function chargeOf(requestId: string | null | undefined): Promise<unknown> {
    const { charged, provenance } = await gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${requestId}`);
    return [charged, provenance];
  }

  /** The reply to a request for a stream. */
  async function streamed(body: object): Promise<Response> {
    return fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: HELLO, stream: true, ...body }),
    });
  }

  function chatWith(model: string): ChatOpenAI {
    return new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: gateway.baseUrl } });
  }

  describe("openai", () => {
    test("text arrives as JSON and as a stream, with cache token counts, and is charged by them", async () => {
      const { data, request_id: id } = await openai.chat.completions.create({ model: "chat", messages: HELLO }).withResponse();
      expect(data.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Hello world" } });
      expect(data.usage).toEqual(COUNTED);
      expect(await chargeOf(id)).toEqual([COST, "measured"]);
      const stream = openai.chat.completions.stream({ model: "chat", messages: HELLO, stream_options: { include_usage: true } });
      const answer = await stream.finalChatCompletion();
      expect(answer.choices[0]).toMatchObject({ finish_reason: "stop", message: { role: "assistant", content: "Hello world" } });
      expect(answer.usage).toMatchObject(COUNTED);
    });

    test("parallel tool calls arrive as JSON and as a stream", async () => {
      const body = { model: "weather", messages: HELLO, tools: [WEATHER_TOOL] };
      const calls = CALLS.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } }));
      const whole = await openai.chat.completions.create(body);
      expect(whole.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look.", tool_calls: calls } });
      const { choices } = await openai.chat.completions.stream(body).finalChatCompletion();
      expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look.", tool_calls: calls } });
    });

    test.each([false, true])("a tool loop sends the signed thinking back (stream: %p)", async (isStream) => {
      const ask = async (messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletionMessage> => {
        const body = { model: "thoughtful", messages, tools: [WEATHER_TOOL], reasoning_effort: "low" as const };
        if (!isStream) return (await openai.chat.completions.create(body)).choices[0]!.message;
        return (await openai.chat.completions.stream(body).finalChatCompletion()).choices[0]!.message;
      };
      const called = await ask(HELLO);
      // The client's helper for streams keeps only the last piece of unknown fields.
      if (!isStream) expect(called).toMatchObject({ reasoning_content: THOUGHT["thinking"] });
      const answered = await ask([...HELLO, called, { role: "tool", tool_call_id: called.tool_calls![0]!.id, content: "rain" }]);
      expect(answered.content).toBe("Hello world");
      expect(server.last()).toMatchObject({
        thinking: { type: "enabled", budget_tokens: 3276 },
        messages: [{ role: "user" }, { role: "assistant", content: [THOUGHT, CALLS[0]] }, { role: "user", content: [{ content: "rain" }] }],
      });
    });

    test("a response schema is passed on, and the response matches it", async () => {
      const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"], additionalProperties: false };
      const format = { type: "json_schema" as const, json_schema: { name: "weather", strict: true, schema } };
      const answer = await openai.chat.completions.parse({ model: "json", messages: HELLO, response_format: format });
      expect(answer.choices[0]!.message.parsed).toEqual({ rain: true });
      expect(server.last()["output_config"]).toEqual({ format: { type: "json_schema", schema } });
    });

    test("a declined response has finish_reason content_filter", async () => {
      const answer = await openai.chat.completions.create({ model: "declining", messages: HELLO });
      expect(answer.choices[0]).toMatchObject({ finish_reason: "content_filter", message: { content: "I can" } });
    });

    test.each([
      [
        { model: "chat", response_format: { type: "json_object" } },
        { status: 400, code: "unsupported_parameter", param: "response_format" },
      ],
      [
        { model: "chat", n: 2 },
        { status: 400, code: "unsupported_parameter", param: "n" },
      ],
      [{ model: "narrow" }, { status: 400, code: "context_length_exceeded" }],
      [
        { model: "chat", tools: [{ type: "custom", custom: { name: "x" } }] },
        { status: 400, code: "unsupported_parameter", param: "tools[0]" },
      ],
    ])("%j is refused", async (body, expected) => {
      const failure = failureOf(
        openai.chat.completions.create({ messages: HELLO, ...body } as OpenAI.ChatCompletionCreateParamsNonStreaming),
      );
      expect(await failure).toMatchObject(expected);
    });

    test("unsupported hints are dropped and named in a header", async () => {
      const body = { model: "sampling", messages: HELLO, temperature: 0, seed: 5 };
      const { response } = await openai.chat.completions.create(body).withResponse();
      expect(response.headers.get("x-tollgate-dropped")).toBe("temperature, seed");
    });
  });

  describe("@ai-sdk/openai-compatible", () => {
    const tollgate = createOpenAICompatible({ name: "tollgate", baseURL: gateway.baseUrl, apiKey, includeUsage: true });
    const counted = { inputTokens: 15, outputTokens: 7, totalTokens: 22, inputTokenDetails: { cacheReadTokens: 3 } };

    test("text, reasoning and usage arrive as JSON and as a stream", async () => {
      const whole = await generateText({ model: tollgate("thinking"), prompt: "Hello!", maxRetries: 0 });
      expect(whole).toMatchObject({ text: "Hello world", reasoningText: THOUGHT["thinking"], finishReason: "stop" });
      expect(whole.usage).toMatchObject(counted);
      const stream = streamText({ model: tollgate("thinking"), prompt: "Hello!", maxRetries: 0 });
      expect<unknown[]>([await stream.text, await stream.reasoningText]).toEqual(["Hello world", THOUGHT["thinking"]]);
      expect(await stream.finishReason).toBe("stop");
      expect(await stream.usage).toMatchObject(counted);
    });

    test.each(["weather", "thoughtful"])("an agent calls the tools of %s, returns the results and finishes", async (model) => {
      const settings = {
        model: tollgate(model),
        prompt: "Hello!",
        tools: { weather: AI_WEATHER_TOOL },
        stopWhen: isStepCount(3),
        maxRetries: 0,
      };
      // This client does not send back unknown fields, and the tool loop continues nevertheless.
      const providerOptions = { tollgate: { reasoningEffort: "low" } };
      const whole = await generateText({ ...settings, providerOptions });
      expect(whole.steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
      expect(whole.text).toBe("Hello world");
      const stream = streamText({ ...settings, providerOptions });
      expect((await stream.steps).map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
      expect(await stream.text).toBe("Hello world");
    });

    test("an overload error as the first event of a stream is returned as a status", async () => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const stream = streamText({ model: tollgate("overloaded"), prompt: "Hello!", maxRetries: 0, onError: ({ error }) => resolve(error) });
      await stream.consumeStream();
      expect(await promise).toMatchObject({ statusCode: 503, isRetryable: true });
    });
  });

  describe("@langchain/openai", () => {
    const counted = { input_tokens: 15, output_tokens: 7, total_tokens: 22, input_token_details: { cache_read: 3 } };

    test("text arrives as JSON and as a stream, and is counted once", async () => {
      const whole = await chatWith("chat").invoke("Hello!");
      expect(whole.text).toBe("Hello world");
      expect(whole.usage_metadata).toMatchObject(counted);
      const pieces = await Array.fromAsync(await chatWith("chat").stream("Hello!"));
      const gathered = pieces.reduce((all, piece) => all.concat(piece));
      expect(gathered.text).toBe("Hello world");
      expect(gathered.usage_metadata).toMatchObject(counted);
    });

    test("parallel tool calls arrive as JSON and as a stream, and their results are sent back together", async () => {
      const agent = chatWith("weather").bindTools([WEATHER_TOOL]);
      const question = new HumanMessage("Hello!");
      const expected = CALLS.map(({ id, name, input }) => ({ id, name, args: input }));
      const called = await agent.invoke([question]);
      expect(called.tool_calls).toMatchObject(expected);
      const pieces = await Array.fromAsync(await agent.stream([question]));
      expect(pieces.reduce((all, piece) => all.concat(piece)).tool_calls).toMatchObject(expected);
      const results = expected.map(({ id }) => new ToolMessage({ content: "rain", tool_call_id: id as string }));
      expect((await agent.invoke([question, called, ...results])).text).toBe("Hello world");
      expect(server.last()["messages"]).toMatchObject([
        {},
        {},
        { role: "user", content: [{ tool_use_id: "toolu_1" }, { tool_use_id: "toolu_2" }] },
      ]);
    });
  });

  describe("on the wire", () => {
    test.each(["chat", "weather", "thinking", "declining"])(
      "the stream of %s keeps every rule of the format, and shows what it cost",
      async (model) => {
        const reply = await streamed({ model, stream_options: { include_usage: true }, tools: [WEATHER_TOOL] });
        const chunks = expectGoodStream(await reply.text(), model, { usage: true });
        expect(chunks.at(-1)).toMatchObject({ usage: COUNTED, receipt: { cost: COST, provenance: "measured" } });
      },
    );

    test("an error mid-stream is the last frame, in the format of the gateway", async () => {
      const { chunks, error } = expectBrokenStream(await (await streamed({ model: "breaking" })).text());
      expect(textOf(chunks)).toBe("Hello");
      expect(error).toMatchObject({ code: "upstream_error", type: "server_error" });
      expect(error.message).not.toContain("secret");
    });

    test("a stream that stops early is an error, and is charged for its prompt and output", async () => {
      const reply = await streamed({ model: "cut" });
      const { chunks } = expectBrokenStream(await reply.text());
      expect(textOf(chunks)).toBe("Hello ");
      // The counted prompt, one token for the start, and two tokens for six bytes of text.
      expect(await chargeOf(reply.headers.get("x-request-id"))).toEqual(["0.0000188", "estimated"]);
    });

    test("the credential is in no reply and not in the log", async () => {
      const reply = await streamed({ model: "overloaded" });
      expect(await reply.text()).not.toContain(credential);
      await waitFor(() => gateway.logLines().some((line) => line["request_id"] === reply.headers.get("x-request-id")));
      expect(gateway.output()).not.toContain(credential);
    });
  });
}
