import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import { expectBrokenStream, expectGoodStream, textOf } from "../support/upstreams/conformance.ts";
import { waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { CALLS, THOUGHT } from "./anthropic-scripts.ts";
import type { AnthropicServer } from "./anthropic-server.ts";
import { ClaudeClients, COST, HELLO, REASONING } from "./claude-clients.ts";
import { COUNTED } from "./answer-parts.ts";

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
  const clients = new ClaudeClients(gateway, apiKey);
  const { openai } = clients;
  const calls = CALLS.map(({ id, name, input }) => ({ id: id as string, name: name as string, input: input as object }));
  const results = CALLS.map(({ id }) => ({ tool_use_id: id }));
  clients.describe(calls, () => server.last()["messages"], results);

  describe("openai", () => {
    test.each([false, true])("a tool loop sends the signed thinking back (stream: %p)", async (isStream) => {
      const ask = async (messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletionMessage> => {
        const body = { model: "thoughtful", messages, tools: [WEATHER_TOOL], reasoning_effort: "low" as const };
        if (!isStream) return (await openai.chat.completions.create(body)).choices[0]!.message;
        return (await openai.chat.completions.stream(body).finalChatCompletion()).choices[0]!.message;
      };
      const called = await ask(HELLO);
      // The client's helper for streams keeps only the last piece of unknown fields.
      if (!isStream) expect(called).toMatchObject({ reasoning_content: REASONING });
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

  describe("on the wire", () => {
    test("the stream of a declined response keeps every rule of the format, and shows what it cost", async () => {
      const reply = await clients.streamed({ model: "declining", stream_options: { include_usage: true }, tools: [WEATHER_TOOL] });
      const chunks = expectGoodStream(await reply.text(), "declining", { usage: true });
      expect(chunks.at(-1)).toMatchObject({ usage: COUNTED, receipt: { cost: COST, provenance: "measured" } });
    });

    test("an error mid-stream is the last frame, in the format of the gateway", async () => {
      const { chunks, error } = expectBrokenStream(await (await clients.streamed({ model: "breaking" })).text());
      expect(textOf(chunks)).toBe("Hello");
      expect(error).toMatchObject({ code: "upstream_error", type: "server_error" });
      expect(error.message).not.toContain("secret");
    });

    test("a stream that stops early is an error, and is charged for its prompt and output", async () => {
      const reply = await clients.streamed({ model: "cut" });
      const { chunks } = expectBrokenStream(await reply.text());
      expect(textOf(chunks)).toBe("Hello ");
      // The counted prompt, one token for the start, and two tokens for six bytes of text.
      expect(await clients.chargeOf(reply.headers.get("x-request-id"))).toEqual(["0.0000188", "estimated"]);
    });

    test("the credential is in no reply and not in the log", async () => {
      const reply = await clients.streamed({ model: "overloaded" });
      expect(await reply.text()).not.toContain(credential);
      await waitFor(() => gateway.logLines().some((line) => line["request_id"] === reply.headers.get("x-request-id")));
      expect(gateway.output()).not.toContain(credential);
    });
  });
}
