import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ContextOverflowError } from "@langchain/core/errors";
import { HumanMessage, ToolMessage, type AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, jsonSchema, Output, streamText } from "ai";
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { AI_WEATHER_TOOL } from "../clients/ai-weather-tool.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { USAGE } from "./gemini-answers.ts";
import { SIGNATURE, STAND_IN } from "./gemini-scripts.ts";
import type { GeminiServer } from "./gemini-server.ts";

async function gather(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  return (await Array.fromAsync(stream)).reduce((whole, piece) => whole.concat(piece));
}

const prompt = "Hello!";
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: prompt }];

/** The test setup: a gateway with a model for each script, and the server behind it. */
export interface GeminiSetup {
  readonly google: GeminiServer;
  readonly gateway: RunningGateway;
  readonly apiKey: string;
  /** Whether the server accepts the IDs of calls. Vertex AI matches results by their order. */
  readonly hasCallIds: boolean;
}

/** Tests clients through the dialect, at the Gemini API and at Vertex AI. */
export function describeGeminiClients({ google, gateway, apiKey, hasCallIds }: GeminiSetup): void {
  const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
  const tollgate = createOpenAICompatible({
    name: "tollgate",
    baseURL: gateway.baseUrl,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

  function chatWith(model: string): ChatOpenAI {
    return new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: gateway.baseUrl } });
  }

  /** The signatures on the calls of the last request. */
  function returnedSignatures(): unknown[] {
    const parts = google.last().body.contents.flatMap((content) => content.parts);
    return parts.filter(({ functionCall }) => functionCall).map(({ thoughtSignature }) => thoughtSignature);
  }

  /** The results in the last request. */
  function returnedResults(): unknown[] {
    return google.last().body.contents.flatMap(({ parts }) => parts.flatMap(({ functionResponse }) => functionResponse ?? []));
  }

  const results = [
    { ...(hasCallIds && { id: "g-1" }), name: "weather", response: { result: "rain in Oslo" } },
    { ...(hasCallIds && { id: "g-2" }), name: "weather", response: { result: "rain in Bergen" } },
  ];

  describe("openai", () => {
    test("an answer arrives with its reasoning, its signature, its counts and its cost", async () => {
      const { data, response } = await openai.chat.completions.create({ model: "gemini-3-text", messages }).withResponse();
      expect(data).toMatchObject({ id: "answer-1", model: "gemini-3-text", usage: USAGE });
      expect(data.choices[0]).toMatchObject({
        finish_reason: "stop",
        message: {
          content: "Hello world",
          reasoning_content: "Let me think.",
          extra_content: { google: { thought_signature: SIGNATURE } },
        },
      });
      // 17 tokens at one dollar per million, 8 cached tokens at a tenth of it, and 37 output tokens at two dollars.
      expect(response.headers.get("x-tollgate-cost")).toBe("0.0000918");
      expect(response.headers.get("x-tollgate-provenance")).toBe("measured");
    });

    test("a streamed answer arrives in pieces, with the same counts and cost, once and last", async () => {
      const stream = await openai.chat.completions.create({
        model: "gemini-3-text",
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = await Array.fromAsync(stream);
      expect(chunks.flatMap((chunk) => chunk.choices.flatMap(({ delta }) => delta.content ?? []))).toEqual(["Hello", " world"]);
      expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
      expect(chunks.at(-1)).toMatchObject({ usage: USAGE, receipt: { cost: "0.0000918", provenance: "measured" } });
    });

    test("an agent hands back the message that it was given, and its signature goes along", async () => {
      const call = await openai.chat.completions.create({ model: "gemini-3-tools", messages, tools: [WEATHER_TOOL] });
      const [{ message }] = call.choices as [OpenAI.ChatCompletion.Choice];
      expect(call.choices[0]?.finish_reason).toBe("tool_calls");
      // The results are in a different order than the calls.
      const returned = (message.tool_calls ?? []).toReversed().map(({ id }): OpenAI.ChatCompletionMessageParam => {
        return { role: "tool", tool_call_id: id, content: id === "g-1" ? "rain in Oslo" : "rain in Bergen" };
      });
      const answer = await openai.chat.completions.create({
        model: "gemini-3-tools",
        messages: [...messages, message, ...returned],
        tools: [WEATHER_TOOL],
      });
      expect(answer.choices[0]?.message.content).toBe("Hello world");
      expect(returnedSignatures()).toEqual([SIGNATURE, undefined]);
      expect(returnedResults()).toEqual(results);
    });

    test("the stream helper puts parallel calls together", async () => {
      const stream = openai.chat.completions.stream({ model: "gemini-3-tools", messages, tools: [WEATHER_TOOL], tool_choice: "required" });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: {
          tool_calls: [
            { id: "g-1", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
            { id: "g-2", function: { name: "weather", arguments: '{"city":"Bergen"}' } },
          ],
        },
      });
      expect(google.last().body.toolConfig).toEqual({ functionCallingConfig: { mode: "ANY" } });
    });

    const REFUSED = [
      { model: "gemini-3-blocked", status: 400, code: "content_policy_violation" },
      { model: "gemini-3-narrow", status: 400, code: "context_length_exceeded" },
      { model: "gemini-3-malformed", status: 502, code: "upstream_error" },
      { model: "gemini-3-busy", status: 503, code: "overloaded" },
    ];
    for (const stream of [false, true]) {
      test.each(REFUSED)(`$model has the status $status, streamed: ${stream}`, async ({ model, status, code }) => {
        const error = (await failureOf(openai.chat.completions.create({ model, messages, stream }))) as InstanceType<
          typeof OpenAI.APIError
        >;
        expect(error).toMatchObject({ status, code });
        expect(error.headers?.get("retry-after")).toBe(status === 503 ? "8" : null);
      });
    }

    test.each(["gemini-3-failing", "gemini-3-cut"])("%s raises in mid-stream, and never looks complete", async (model) => {
      const texts: unknown[] = [];
      const read = async (): Promise<void> => {
        for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true })) {
          texts.push(choices[0]?.delta.content);
          expect(choices[0]?.finish_reason).toBeNull();
        }
      };
      expect(await failureOf(read())).toMatchObject({ code: model === "gemini-3-cut" ? "upstream_error" : "overloaded" });
      expect(texts).toEqual(["Hel"]);
    });

    test("a filtered answer says so, whole and streamed", async () => {
      const whole = await openai.chat.completions.create({ model: "gemini-3-filtered", messages });
      expect(whole.choices[0]).toMatchObject({ finish_reason: "content_filter", message: { content: "Hel" } });
      const chunks = await Array.fromAsync(await openai.chat.completions.create({ model: "gemini-3-filtered", messages, stream: true }));
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("content_filter");
    });
  });

  describe("@ai-sdk/openai-compatible", () => {
    const counted = {
      inputTokens: 25,
      outputTokens: 37,
      inputTokenDetails: { cacheReadTokens: 8 },
      outputTokenDetails: { reasoningTokens: 30 },
    };
    const withWeather = {
      prompt,
      tools: {
        weather: AI_WEATHER_TOOL,
      },
      stopWhen: isStepCount(3),
    };

    test("text and reasoning arrive, whole and streamed, with their counts", async () => {
      const whole = await generateText({ model: tollgate("gemini-3-text"), prompt });
      expect([whole.text, whole.reasoningText, whole.finishReason]).toEqual(["Hello world", "Let me think.", "stop"]);
      expect(whole.usage).toMatchObject(counted);
      const streamed = streamText({ model: tollgate("gemini-3-text"), prompt });
      expect([await streamed.text, await streamed.reasoningText]).toEqual(["Hello world", "Let me think."]);
      expect(await streamed.usage).toMatchObject(counted);
    });

    test("an agent calls its tools, returns the signature and finishes, whole and streamed", async () => {
      const whole = await generateText({ model: tollgate("gemini-3-tools"), ...withWeather });
      expect(whole.steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
      expect([whole.text, returnedSignatures()]).toEqual(["Hello world", [SIGNATURE, undefined]]);
      expect(returnedResults()).toEqual(results);
      const streamed = streamText({ model: tollgate("gemini-3-tools"), ...withWeather });
      expect((await streamed.steps).map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
      expect([await streamed.text, returnedSignatures()]).toEqual(["Hello world", [SIGNATURE, undefined]]);
    });

    test("an object of a schema arrives", async () => {
      const schema = jsonSchema<{ city: string }>(WEATHER_TOOL.function.parameters);
      const answer = await generateText({ model: tollgate("gemini-3-json"), prompt, output: Output.object({ schema }) });
      expect(answer.output).toEqual({ city: "Oslo" });
      expect(google.last().body.generationConfig).toMatchObject({
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", required: ["city"] },
      });
    });

    test("a filtered answer says so", async () => {
      expect((await generateText({ model: tollgate("gemini-3-filtered"), prompt })).finishReason).toBe("content-filter");
    });
  });

  describe("@langchain/openai", () => {
    const counted = {
      input_tokens: 25,
      output_tokens: 37,
      input_token_details: { cache_read: 8 },
      output_token_details: { reasoning: 30 },
    };

    test("an answer arrives with its counts, whole and streamed", async () => {
      const whole = await chatWith("gemini-3-text").invoke(prompt);
      const streamed = await gather(await chatWith("gemini-3-text").stream(prompt));
      for (const answer of [whole, streamed]) {
        expect(answer.text).toBe("Hello world");
        expect(answer.usage_metadata).toMatchObject(counted);
      }
    });

    test("an agent that loses the signatures goes on without them", async () => {
      const agent = chatWith("gemini-3-tools").bindTools([WEATHER_TOOL]);
      const question = new HumanMessage(prompt);
      const whole = await agent.invoke([question]);
      const streamed = await gather(await agent.stream([question]));
      for (const call of [whole, streamed]) {
        expect(call.tool_calls).toMatchObject([{ args: { city: "Oslo" } }, { args: { city: "Bergen" } }]);
        const returned = call.tool_calls!.map(({ id, args }) => {
          return new ToolMessage({ tool_call_id: id!, content: `rain in ${String(args["city"])}` });
        });
        expect((await agent.invoke([question, call, ...returned])).text).toBe("Hello world");
        expect(returnedSignatures()).toEqual([STAND_IN, undefined]);
        expect(returnedResults()).toEqual(results);
      }
    });

    test("a prompt that is too long is recognised as such", async () => {
      expect(await failureOf(chatWith("gemini-3-narrow").invoke(prompt))).toBeInstanceOf(ContextOverflowError);
    });
  });
}
