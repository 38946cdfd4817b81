import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, streamText } from "ai";
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { AI_WEATHER_TOOL } from "../clients/ai-weather-tool.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { expectGoodStream } from "../support/upstreams/conformance.ts";
import { COUNTED } from "./answer-parts.ts";

export const HELLO: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello!" }];

/** The reasoning of the models `thinking` and `thoughtful`. */
export const REASONING = "They want the weather.";

/**
 * The cost of a request: 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25 and 7 output tokens at 2, in millionths
 * of a dollar.
 */
export const COST = "0.0000268";

/** A call that the server makes. */
interface ServerCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** Clients of a gateway with a model for each script of a server that returns blocks of content. */
export class ClaudeClients {
  readonly openai: OpenAI;
  readonly #gateway: RunningGateway;
  readonly #apiKey: string;

  constructor(gateway: RunningGateway, apiKey: string) {
    this.openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
    this.#gateway = gateway;
    this.#apiKey = apiKey;
  }

  async chargeOf(requestId: string | null | undefined): Promise<unknown> {
    const { charged, provenance } = await this.#gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${requestId}`);
    return [charged, provenance];
  }

  /** The reply to a request for a stream. */
  streamed(body: object): Promise<Response> {
    return fetch(`${this.#gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: HELLO, stream: true, ...body }),
    });
  }

  /** The tests that are the same for every such dialect. `sentResults` returns the content of the last message that the server received. */
  describe(calls: readonly ServerCall[], sentResults: () => unknown, results: readonly object[]): void {
    describe("openai", () => this.#describeOpenAI(calls));
    describe("@ai-sdk/openai-compatible", () => this.#describeAiSdk());
    describe("@langchain/openai", () => this.#describeLangChain(calls, sentResults, results));
    test.each(["chat", "weather", "thinking"])("the stream of %s keeps every rule of the format, and shows what it cost", async (model) => {
      const reply = await this.streamed({ model, stream_options: { include_usage: true }, tools: [WEATHER_TOOL] });
      const chunks = expectGoodStream(await reply.text(), model, { usage: true });
      expect(chunks.at(-1)).toMatchObject({ usage: COUNTED, receipt: { cost: COST, provenance: "measured" } });
    });
  }

  #describeOpenAI(calls: readonly ServerCall[]): void {
    const { openai } = this;

    test("text arrives as JSON and as a stream, with cache token counts, and is charged by them", async () => {
      const { data, request_id: id } = await openai.chat.completions.create({ model: "chat", messages: HELLO }).withResponse();
      expect(data.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Hello world" } });
      expect(data.usage).toEqual(COUNTED);
      expect(await this.chargeOf(id)).toEqual([COST, "measured"]);
      const stream = openai.chat.completions.stream({ model: "chat", messages: HELLO, stream_options: { include_usage: true } });
      const answer = await stream.finalChatCompletion();
      expect(answer.choices[0]).toMatchObject({ finish_reason: "stop", message: { role: "assistant", content: "Hello world" } });
      expect(answer.usage).toMatchObject(COUNTED);
    });

    test("parallel tool calls arrive as JSON and as a stream", async () => {
      const body = { model: "weather", messages: HELLO, tools: [WEATHER_TOOL] };
      const expected = calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      }));
      const whole = await openai.chat.completions.create(body);
      expect(whole.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look.", tool_calls: expected } });
      const { choices } = await openai.chat.completions.stream(body).finalChatCompletion();
      expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look.", tool_calls: expected } });
    });
  }

  #describeAiSdk(): void {
    const { baseUrl } = this.#gateway;
    const tollgate = createOpenAICompatible({ name: "tollgate", baseURL: baseUrl, apiKey: this.#apiKey, includeUsage: true });
    const counted = { inputTokens: 15, outputTokens: 7, totalTokens: 22, inputTokenDetails: { cacheReadTokens: 3 } };

    test("text, reasoning and usage arrive as JSON and as a stream", async () => {
      const whole = await generateText({ model: tollgate("thinking"), prompt: "Hello!", maxRetries: 0 });
      expect(whole).toMatchObject({ text: "Hello world", reasoningText: REASONING, finishReason: "stop" });
      expect(whole.usage).toMatchObject(counted);
      const stream = streamText({ model: tollgate("thinking"), prompt: "Hello!", maxRetries: 0 });
      expect<unknown[]>([await stream.text, await stream.reasoningText]).toEqual(["Hello world", REASONING]);
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
  }

  #describeLangChain(calls: readonly ServerCall[], sentResults: () => unknown, results: readonly object[]): void {
    const configuration = { baseURL: this.#gateway.baseUrl };
    const chatWith = (model: string): ChatOpenAI => new ChatOpenAI({ model, apiKey: this.#apiKey, maxRetries: 0, configuration });
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
      const expected = calls.map(({ id, name, input }) => ({ id, name, args: input }));
      const called = await agent.invoke([question]);
      expect(called.tool_calls).toMatchObject(expected);
      const pieces = await Array.fromAsync(await agent.stream([question]));
      expect(pieces.reduce((all, piece) => all.concat(piece)).tool_calls).toMatchObject(expected);
      const answers = expected.map(({ id }) => new ToolMessage({ content: "rain", tool_call_id: id }));
      expect((await agent.invoke([question, called, ...answers])).text).toBe("Hello world");
      expect(sentResults()).toMatchObject([{}, {}, { role: "user", content: results }]);
    });
  }
}
