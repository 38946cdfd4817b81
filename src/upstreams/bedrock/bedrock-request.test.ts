import { describe, expect, test } from "bun:test";
import { callOf, CLAUDE, GPT_OSS, LLAMA, NEWER_CLAUDE, NOVA, NOVA_2, type CallOptions } from "../../../test/dialects/converse-call.ts";
import { problemOfConverse } from "../../../test/dialects/converse-rules.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { toBedrockRequest, toConverseRequest } from "./bedrock-request.ts";

type Json = Record<string, unknown>;

const POINT = { cachePoint: { type: "default" } };
const MARK = { type: "ephemeral", ttl: "1h" };
const TOOL = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
const SPEC = { toolSpec: { name: "weather", inputSchema: { json: { type: "object", properties: {} } } } };

/** The request for a body, which the rules of the API allow. */
function sent(body: Json, options: CallOptions = {}): Json {
  const request = JSON.parse(JSON.stringify(toConverseRequest(callOf(body, options)))) as Json;
  expect(problemOfConverse(request, options.upstreamModel ?? CLAUDE)).toBeUndefined();
  return request;
}

const messagesOf = (messages: Json[], options?: CallOptions): unknown => sent({ messages }, options)["messages"];
const user = (...content: Json[]): Json => ({ role: "user", content });

const file = (filename: string): Json => ({ type: "file", file: { filename, file_data: "data:text/csv;base64,YQ==" } });

describe("the request", () => {
  test("names model and operation in its path, and has the credential", () => {
    const call = { ...callOf({}), credential: new Secret("key") };
    const { path, headers } = toBedrockRequest(call);
    expect(path).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse");
    expect(headers).toEqual({ accept: "application/json", "user-agent": "tollgate", authorization: "Bearer key" });
    const stream = toBedrockRequest(callOf({ stream: true }, { upstreamModel: "arn:aws:bedrock:us-east-1:1:inference-profile/x" }));
    expect(stream.path).toBe("/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream");
    expect(stream.headers).toEqual({ accept: "application/vnd.amazon.eventstream", "user-agent": "tollgate" });
  });

  test("is rejected where the arguments of its tool calls have more values than a body may have", () => {
    const text = `{"list":[${"1,".repeat(200_001)}1]}`;
    const messages = [{ role: "assistant", tool_calls: [{ id: "a", function: { name: "save", arguments: text } }] }];
    expect(() => toConverseRequest(callOf({ messages }))).toThrow("have more than 200000 values");
  });

  test("has nothing but messages where nothing is asked for", () => {
    expect(sent({})).toEqual({ messages: [user({ text: "Hello!" })] });
  });
});

describe("messages", () => {
  test("system messages move to the system prompt, and consecutive messages are merged", () => {
    const messages = [
      { role: "system", content: "One" },
      { role: "user", content: "a" },
      { role: "developer", content: [{ type: "text", text: "Two" }] },
      { role: "user", content: "b" },
      { role: "assistant", content: "c  " },
    ];
    expect(sent({ messages })).toEqual({
      system: [{ text: "One" }, { text: "Two" }],
      messages: [user({ text: "a" }, { text: "b" }), { role: "assistant", content: [{ text: "c" }] }],
    });
  });

  test("a conversation without a user's beginning gets one", () => {
    expect(messagesOf([{ role: "assistant", content: "Hi" }])).toEqual([
      user({ text: "Begin." }),
      { role: "assistant", content: [{ text: "Hi" }] },
    ]);
  });

  test("documents have unique names, and text beside them", () => {
    const content = [file("a/b.csv"), file("a/b.csv"), file("….csv"), file("")];
    const names = ["a-b", "a-b (2)", "document", "document (2)"];
    const documents = names.map((name) => ({ document: { format: "csv", name, source: { bytes: "YQ==" } } }));
    expect(messagesOf([{ role: "user", content }])).toEqual([user(...documents, { text: "See the document." })]);
  });

  test.each([
    [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }, "image_url.url"],
    [{ type: "image_url", image_url: { url: "s3://bucket/b.png" } }, "image_url.url"],
    [{ type: "image_url", image_url: { url: "data:image/tiff;base64,AAAA" } }, "image_url.url"],
    [{ type: "image_url", image_url: { url: "data:image/png;base64,A*" } }, "image_url.url"],
    [{ type: "file", file: { file_data: "https://a.example/b.pdf" } }, "file.file_data"],
    [{ type: "file", file: { file_data: "data:application/zip;base64,AAAA" } }, "file.file_data"],
    [{ type: "file", file: { file_id: "file-1" } }, "file.file_id"],
    [{ type: "input_audio", input_audio: {} }, ""],
  ])("rejects %j", (part, field) => {
    const param = `messages[0].content[0]${field && `.${field}`}`;
    expect(() => sent({ messages: [{ role: "user", content: [part] }] })).toThrow(expect.objectContaining({ param }) as Error);
  });

  test("results of parallel calls come first in one turn, with their reasoning returned before everything else", () => {
    const reasoning = [{ reasoningText: { text: "Hm.", signature: "c2ln" }, more: 1 }, { redactedContent: "ZGF0YQ==" }, { odd: 1 }];
    const call = (id: string, more: Json = {}): Json => ({ id, type: "function", function: { name: "weather", arguments: "{}" }, ...more });
    const messages = [
      { role: "user", content: "Hello!" },
      { role: "assistant", content: "I look.", tool_calls: [call("a", { extra_content: { bedrock: { reasoning } } }), call("b.2")] },
      { role: "tool", tool_call_id: "a", content: "rain" },
      { role: "user", content: "And?" },
      { role: "tool", tool_call_id: "b.2", content: "" },
    ];
    const [, assistant, results] = messagesOf(messages) as { content: Json[] }[];
    expect(assistant!.content).toMatchObject([
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "ZGF0YQ==" } },
      { text: "I look." },
      { toolUse: { toolUseId: "a" } },
      { toolUse: { toolUseId: expect.stringMatching(/^b_2_\w+$/) as string } },
    ]);
    const { toolUseId } = assistant!.content[4]!["toolUse"] as Json;
    expect(results!.content).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "rain" }] } },
      { toolResult: { toolUseId, content: [{ text: "(no output)" }] } },
      { text: "And?" },
    ]);
    // Another model rejects reasoning.
    expect(JSON.stringify(messagesOf(messages, { upstreamModel: LLAMA }))).not.toContain("reasoningContent");
  });
});

describe("cache points", () => {
  const body = {
    messages: [
      { role: "system", content: [{ type: "text", text: "Long", cache_control: MARK }] },
      {
        role: "user",
        content: [
          { type: "text", text: "a", cache_control: MARK },
          { type: "text", text: "b" },
        ],
      },
      { role: "assistant", tool_calls: [{ id: "t", function: { name: "weather", arguments: "" } }] },
      { role: "tool", tool_call_id: "t", content: [{ type: "text", text: "rain", cache_control: MARK }] },
    ],
    tools: [{ ...TOOL, cache_control: MARK }],
  };

  test("stand behind what they cache, without a ttl", () => {
    const { system, messages, toolConfig } = sent(body) as { system: unknown; messages: { content: unknown }[]; toolConfig: unknown };
    expect(system).toEqual([{ text: "Long" }, POINT]);
    expect(messages[0]!.content).toEqual([{ text: "a" }, POINT, { text: "b" }]);
    expect(messages[2]!.content).toEqual([{ toolResult: { toolUseId: "t", content: [{ text: "rain" }] } }, POINT]);
    expect(toolConfig).toEqual({ tools: [SPEC, POINT] });
  });

  test("are not sent to models that reject them", () => {
    const old = ["claude-3-haiku-20240307-v1:0", "claude-3-opus-20240229-v1:0", "claude-3-5-sonnet-20240620-v1:0", "claude-v2:1"];
    for (const upstreamModel of [LLAMA, ...old.map((name) => `us.anthropic.${name}`)]) {
      expect(JSON.stringify(sent(body, { upstreamModel }))).not.toContain("cachePoint");
    }
    for (const name of ["claude-3-5-sonnet-20241022-v2:0", "claude-3-5-haiku-20241022-v1:0", "claude-3-7-sonnet-20250219-v1:0"]) {
      expect(sent(body, { upstreamModel: `anthropic.${name}` })).toMatchObject({ system: [{}, POINT] });
    }
    expect(sent(body, { upstreamModel: NOVA })).toMatchObject({ system: [{}, POINT], toolConfig: { tools: [SPEC] } });
  });
});

describe("tools", () => {
  const history = [
    { role: "user", content: "Hello!" },
    { role: "assistant", tool_calls: [{ id: "t", function: { name: "weather", arguments: "" } }] },
    { role: "tool", tool_call_id: "t", content: "rain" },
  ];
  const choiceFor = (choice: unknown): unknown => sent({ tools: [TOOL], tool_choice: choice })["toolConfig"];

  test.each([
    ["auto", { auto: {} }],
    ["required", { any: {} }],
    [{ type: "function", function: { name: "weather" } }, { tool: { name: "weather" } }],
    [{ type: "allowed_tools", allowed_tools: { mode: "required", tools: [{ function: { name: "weather" } }] } }, { any: {} }],
  ])("tool_choice %j", (choice, toolChoice) => {
    expect(choiceFor(choice)).toEqual({ tools: [SPEC], toolChoice });
  });

  test("tool_choice none leaves the tools out", () => {
    expect(choiceFor("none")).toBeUndefined();
  });

  test("but those of the history are declared, which the API requires, as not available", () => {
    const description = "Not available any more: do not call it.";
    const declared = { tools: [{ toolSpec: { name: "weather", description, inputSchema: { json: { type: "object" } } } }] };
    expect(sent({ messages: history })["toolConfig"]).toEqual(declared);
    expect(sent({ messages: history, tools: [TOOL], tool_choice: "none" })["toolConfig"]).toEqual(declared);
  });

  test.each([
    [{ tools: [{ type: "custom", custom: {} }] }, "tools[0]"],
    [{ tools: [{ type: "function", function: { name: "a b" } }] }, "tools[0].function.name"],
    [{ tools: [{ type: "function", function: { name: "x".repeat(65) } }] }, "tools[0].function.name"],
    [{ tools: [TOOL], tool_choice: { type: "function", function: { name: "other" } } }, "tool_choice"],
    [{ tools: [TOOL], tool_choice: "x" }, "tool_choice"],
  ])("rejects %j", (body, param) => {
    expect(() => sent(body)).toThrow(expect.objectContaining({ param }) as Error);
  });
});

describe("parameters", () => {
  test("limits, sampling and stop sequences", () => {
    const body = { max_completion_tokens: 9, temperature: 1.5, top_p: 0.5, stop: ["a", " "] };
    const common = { maxTokens: 9, stopSequences: ["a"] };
    expect(sent(body, { upstreamModel: NOVA })["inferenceConfig"]).toEqual({ ...common, temperature: 1, topP: 0.5 });
    // Claude accepts one of the two.
    expect(sent(body)["inferenceConfig"]).toEqual({ ...common, topP: 0.5 });
    expect(sent({ ...body, temperature: 0 })["inferenceConfig"]).toEqual({ ...common, temperature: 0 });
    expect(sent(body, { maxTokens: 5 })["inferenceConfig"]).toMatchObject({ maxTokens: 5 });
  });

  test.each<[string, string, Json]>([
    [
      "medium",
      CLAUDE,
      { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 8192 } }, inferenceConfig: { maxTokens: 16_384 } },
    ],
    [
      "high",
      NEWER_CLAUDE,
      { outputConfig: { effort: "high" }, additionalModelRequestFields: { thinking: { type: "adaptive", display: "summarized" } } },
    ],
    ["minimal", GPT_OSS, { additionalModelRequestFields: { reasoning_effort: "low" } }],
    ["max", GPT_OSS, { additionalModelRequestFields: { reasoning_effort: "high" } }],
    ["minimal", "openai.gpt-5.6", { additionalModelRequestFields: { reasoning_effort: "minimal" } }],
    ["high", NOVA, {}],
    ["none", NOVA_2, {}],
    ["minimal", NOVA_2, { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } } }],
    ["medium", NOVA_2, { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } } }],
    ["xhigh", NOVA_2, { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } } }],
    ["high", "anthropic.claude-3-haiku-20240307-v1:0", {}],
  ])("reasoning_effort %s of %s", (effort, upstreamModel, expected) => {
    expect(sent({ reasoning_effort: effort }, { upstreamModel })).toEqual({ messages: [user({ text: "Hello!" })], ...expected });
  });

  test("the highest effort of Nova goes without sampling parameters, and a limit of tokens goes before it", () => {
    const body = { reasoning_effort: "high", temperature: 0.5, top_p: 0.5 };
    expect(sent(body, { upstreamModel: NOVA_2 })).not.toHaveProperty("inferenceConfig");
    expect(sent({ ...body, max_tokens: 500 }, { upstreamModel: NOVA_2 })).toMatchObject({
      inferenceConfig: { maxTokens: 500, temperature: 0.5, topP: 0.5 },
      additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
    });
  });

  test("a client that has lost the reasoning of its tool calls goes on without", () => {
    const messages = [
      { role: "user", content: "Hello!" },
      { role: "assistant", tool_calls: [{ id: "t", function: { name: "weather", arguments: "" } }] },
      { role: "tool", tool_call_id: "t", content: "rain" },
    ];
    expect(sent({ messages, reasoning_effort: "high" })).not.toHaveProperty("additionalModelRequestFields");
  });

  test("a response schema is sent as text", () => {
    const schema = { type: "object", properties: { a: { type: "string", minLength: 1 } } };
    const { outputConfig } = sent({ response_format: { type: "json_schema", json_schema: { name: "x y", schema } } });
    const written = { type: "object", properties: { a: { type: "string", description: "minLength: 1" } }, additionalProperties: false };
    expect(outputConfig).toEqual({ textFormat: { type: "json_schema", structure: { jsonSchema: { schema: JSON.stringify(written) } } } });
  });

  test.each([
    [{ response_format: { type: "json_object" } }, "response_format"],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema.schema"],
    [{ reasoning_effort: "x" }, "reasoning_effort"],
  ])("rejects %j", (body, param) => {
    expect(() => sent(body)).toThrow(expect.objectContaining({ param }) as Error);
    expect(() => sent(body, { upstreamModel: GPT_OSS })).toThrow(expect.objectContaining({ param }) as Error);
    expect(() => sent(body, { upstreamModel: NOVA_2 })).toThrow(expect.objectContaining({ param }) as Error);
  });
});
