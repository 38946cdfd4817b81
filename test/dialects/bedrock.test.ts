import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { WEATHER_TOOL } from "../clients/weather-upstream.ts";
import { expectBrokenStream, expectGoodStream, textOf } from "../support/upstreams/conformance.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { ClaudeClients, COST, HELLO, REASONING } from "./claude-clients.ts";
import { CALLS as BLOCKS, configOf, nameOf, SCRIPTS, THOUGHT } from "./converse-scripts.ts";
import { CREDENTIAL, startConverseServer } from "./converse-server.ts";
import { COUNTED } from "./answer-parts.ts";

const server = startConverseServer(Object.fromEntries(Object.entries(SCRIPTS).map(([model, script]) => [nameOf(model), script])));
const gateway = await startGateway({ yaml: configOf(server.baseUrl, CREDENTIAL) });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

const CALLS = BLOCKS.map(({ toolUse }) => toolUse as { toolUseId: string; name: string; input: object });
const clients = new ClaudeClients(gateway, apiKey);
const { openai } = clients;
clients.describe(
  CALLS.map(({ toolUseId, ...call }) => ({ id: toolUseId, ...call })),
  () => server.last()["messages"],
  CALLS.map(({ toolUseId }) => ({ toolResult: { toolUseId } })),
);

const isLogged = (output: string): boolean => output.includes("is not authorized to perform: bedrock:InvokeModel");

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
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 3276 } },
      messages: [
        { role: "user" },
        { role: "assistant", content: [THOUGHT, BLOCKS[0]] },
        { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "rain" }] } }] },
      ],
    });
  });

  test("a response schema is passed on, and the response matches it", async () => {
    const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"], additionalProperties: false };
    const format = { type: "json_schema" as const, json_schema: { name: "weather", strict: true, schema } };
    const answer = await openai.chat.completions.parse({ model: "json", messages: HELLO, response_format: format });
    expect(answer.choices[0]!.message.parsed).toEqual({ rain: true });
    const jsonSchema = { schema: JSON.stringify(schema), name: "weather" };
    expect(server.last()["outputConfig"]).toEqual({ textFormat: { type: "json_schema", structure: { jsonSchema } } });
  });

  test("images and documents are sent by their bytes", async () => {
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { type: "file", file: { filename: "Q3 report.v2.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    ];
    const answer = await openai.chat.completions.create({ model: "chat", messages: [{ role: "user", content }] });
    expect(answer.choices[0]!.message.content).toBe("Hello world");
    const image = { format: "png", source: { bytes: "iVBORw0KGgo=" } };
    const document = { format: "pdf", name: "Q3 report-v2", source: { bytes: "JVBERi0=" } };
    expect(server.last()["messages"]).toEqual([{ role: "user", content: [{ text: "What is it?" }, { image }, { document }] }]);
  });

  test("a response that a guardrail stopped has finish_reason content_filter", async () => {
    const answer = await openai.chat.completions.create({ model: "guarded", messages: HELLO });
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
    [{ model: "throttled" }, { status: 503, code: "overloaded" }],
    [{ model: "quota" }, { status: 502, code: "upstream_error" }],
    [{ model: "denied" }, { status: 502, code: "upstream_error" }],
    [{ model: "slow" }, { status: 504, code: "upstream_timeout" }],
    [{ model: "malformed" }, { status: 502, code: "upstream_error" }],
    [
      { model: "chat", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }] }] },
      { status: 400, code: "invalid_value", param: "messages[0].content[0].image_url.url" },
    ],
    [
      { model: "chat", guardrailConfig: { guardrailIdentifier: "g" } },
      { status: 400, code: "unsupported_parameter", param: "guardrailConfig" },
    ],
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
    const body = { model: "chat", messages: HELLO, parallel_tool_calls: false, seed: 5 };
    const { response } = await openai.chat.completions.create(body).withResponse();
    expect(response.headers.get("x-tollgate-dropped")).toBe("parallel_tool_calls, seed");
  });
});

describe("on the wire", () => {
  test("the stream of a guarded response keeps every rule of the format, and shows what it cost", async () => {
    const reply = await clients.streamed({ model: "guarded", stream_options: { include_usage: true }, tools: [WEATHER_TOOL] });
    const chunks = expectGoodStream(await reply.text(), "guarded", { usage: true });
    expect(chunks.at(-1)).toMatchObject({ usage: COUNTED, receipt: { cost: COST, provenance: "measured" } });
  });

  test("an error mid-stream is the last frame, in the format of the gateway", async () => {
    const { chunks, error } = expectBrokenStream(await (await clients.streamed({ model: "breaking" })).text());
    expect(textOf(chunks)).toBe("Hello ");
    expect(error).toMatchObject({ code: "upstream_error", type: "server_error" });
    expect(error.message).not.toContain("secret");
  });

  test.each([
    ["that stops early", "cut"],
    ["with a flipped bit", "flipped"],
  ])("a stream %s is an error, and is charged for its output", async (_name, model) => {
    const reply = await clients.streamed({ model });
    const { chunks } = expectBrokenStream(await reply.text());
    expect(textOf(chunks)).toBe("Hello ");
    // Two tokens for six bytes of text: the counts of a stream are only in its last event.
    expect(await clients.chargeOf(reply.headers.get("x-request-id"))).toEqual(["0.000004", "estimated"]);
  });

  test("the log names the missing permission, and the type of the exception", async () => {
    const reply = await clients.streamed({ model: "denied" });
    expect(await reply.text()).not.toContain("arn:aws:iam");
    expect(isLogged(await eventually(() => gateway.output(), isLogged))).toBe(true);
  });

  test("the credential is in no reply and not in the log", async () => {
    const reply = await clients.streamed({ model: "overloaded" });
    expect(await reply.text()).not.toContain(CREDENTIAL);
    await waitFor(() => gateway.logLines().some((line) => line["request_id"] === reply.headers.get("x-request-id")));
    expect(gateway.output()).not.toContain(CREDENTIAL);
  });
});
