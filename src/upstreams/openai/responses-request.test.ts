import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { oddBodies, sensibleBodies } from "../../../test/dialects/chat-arbitraries.ts";
import { refusalOf } from "../../../test/dialects/gemini-call.ts";
import { itemsFor, responsesCall, sentFor, SETTINGS } from "../../../test/dialects/responses-call.ts";
import { violationOfResponses } from "../../../test/responses/responses-rules.ts";
import { runs } from "../../../test/support/long.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { ApiError } from "../../requests/api-error.ts";
import { findChatViolation } from "../../requests/chat-request.ts";
import { responsesDialect } from "./openai-dialect.ts";

const TOOL = { type: "function", function: { name: "weather", description: "Tells it.", parameters: { type: "object" }, strict: true } };
const calling = (...calls: object[]): Record<string, unknown> => ({ role: "assistant", content: null, tool_calls: calls });
const callOf = (id: string, more: object = {}): object => ({
  id,
  type: "function",
  function: { name: "weather", arguments: ' {"city": "Oslo"}' },
  ...more,
});

test("a minimal request is not stored, and has the credential and no headers of the caller", () => {
  expect(sentFor({ metadata: {}, temperature: null })).toEqual({
    model: "gpt-5.5-codex",
    input: [{ role: "user", content: "Hello!" }],
    store: false,
  });
  expect(responsesDialect.request(responsesCall({ stream: true }), SETTINGS)).toMatchObject({
    path: "/responses",
    headers: { accept: "text/event-stream", authorization: "Bearer openai-credential" },
  });
});

describe("messages", () => {
  test("keep their order and their roles, in the middle of a conversation, too", () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "assistant", content: null, refusal: "No." },
    ];
    expect(itemsFor(messages)).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "output_text", text: "Hello" }] },
      { role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    ]);
  });

  test("images and files are sent by their bytes or their address", () => {
    const content = [
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
      { type: "image_url", image_url: "https://a.example/b.png" },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
      { type: "file", file: { file_data: "https://a.example/b.pdf" } },
    ];
    expect(itemsFor([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" },
          { type: "input_image", image_url: "https://a.example/b.png" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          { type: "input_file", file_url: "https://a.example/b.pdf" },
        ],
      },
    ]);
  });

  test("parts without a counterpart are rejected with their place", () => {
    const refused = (role: string, part: object): unknown => refusalOf(() => itemsFor([{ role, content: [part] }]));
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    expect(refused("user", sound)).toEqual(["unsupported_parameter", "messages[0].content[0]"]);
    expect(refused("system", { type: "image_url", image_url: "https://a.example/b.png" })).toEqual([
      "unsupported_parameter",
      "messages[0].content[0]",
    ]);
    expect(refused("assistant", sound)).toEqual(["unsupported_parameter", "messages[0].content[0]"]);
    expect(refused("user", { type: "file", file: { file_id: "file-1" } })).toEqual([
      "unsupported_parameter",
      "messages[0].content[0].file.file_id",
    ]);
    expect(refused("user", { type: "image_url", image_url: { url: "" } })).toEqual([
      "invalid_value",
      "messages[0].content[0].image_url.url",
    ]);
  });
});

describe("tools", () => {
  test("calls and results keep their IDs, their order and the spelling of their arguments", () => {
    const messages = [
      { ...calling(callOf("call_1"), callOf("call_2")), content: "I look." },
      { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "rain" }] },
      { role: "tool", tool_call_id: "call_1", content: "sun" },
    ];
    const call = { type: "function_call", name: "weather", arguments: ' {"city": "Oslo"}' };
    expect(itemsFor(messages)).toEqual([
      { role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { ...call, call_id: "call_1" },
      { ...call, call_id: "call_2" },
      { type: "function_call_output", call_id: "call_2", output: "rain" },
      { type: "function_call_output", call_id: "call_1", output: "sun" },
    ]);
  });

  test("an ID that is too long is replaced in the call and in its result", () => {
    const id = `exec-${"x".repeat(90)}`;
    const [call, result] = itemsFor([calling(callOf(id)), { role: "tool", tool_call_id: id, content: "" }]);
    expect(call!["call_id"]).toBe(result!["call_id"]);
    expect(String(call!["call_id"]).length).toBeLessThanOrEqual(64);
  });

  test("an image in a result stays an image", () => {
    const content = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }];
    const [, result] = itemsFor([calling(callOf("call_1")), { role: "tool", tool_call_id: "call_1", content }]);
    expect(result!["output"]).toEqual([{ type: "input_image", image_url: "data:image/png;base64,AAAA" }]);
  });

  test("the legacy function call is matched with its result by name", () => {
    const messages = [
      { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
      { role: "function", name: "weather", content: "rain" },
    ];
    const [call, result] = itemsFor(messages);
    expect([call!["type"], result]).toEqual(["function_call", { type: "function_call_output", call_id: call!["call_id"], output: "rain" }]);
  });

  describe("reasoning", () => {
    /** The call of a response whose reasoning this credential has encrypted. */
    function reasonedCall(id: string, secret: string | undefined): object {
      const output = [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
        { type: "function_call", call_id: id, name: "weather", arguments: "{}" },
      ];
      const credential = secret === undefined ? undefined : new Secret(secret);
      const { body } = responsesDialect.readCompletion(JSON.stringify({ output }), responsesCall({}, { credential }));
      const { choices } = JSON.parse(body) as { choices: [{ message: { tool_calls: [object] } }] };
      return choices[0].message.tool_calls[0];
    }

    const orderOf = (items: readonly Record<string, unknown>[]): unknown[] =>
      items.map((item) => item["call_id"] ?? item["type"] ?? item["role"]);

    test("goes before the text and the call that it led to, without its ID", () => {
      const mine = (id: string): object => reasonedCall(id, "openai-credential");
      const items = itemsFor([{ ...calling(mine("call_1"), callOf("call_2"), mine("call_3")), content: "I look." }]);
      expect(orderOf(items)).toEqual(["reasoning", "assistant", "call_1", "call_2", "reasoning", "call_3"]);
      expect(items[0]).toEqual({ type: "reasoning", summary: [], encrypted_content: "ZW5j" });
    });

    test("of another provider or another credential does not go along: the API would reject the request", () => {
      const thinking = [{ type: "thinking", thinking: "a", signature: "b" }];
      const foreign = callOf("call_1", { extra_content: { anthropic: { thinking } } });
      const others = [reasonedCall("call_2", "another-credential"), reasonedCall("call_3", undefined)];
      expect(orderOf(itemsFor([calling(foreign, ...others)]))).toEqual(["call_1", "call_2", "call_3"]);
    });

    test("of an upstream without a static credential does not go along, because its accounts look alike", () => {
      const call = reasonedCall("call_1", undefined);
      expect(call).not.toHaveProperty("extra_content");
      const { extra_content: extra } = reasonedCall("call_1", "openai-credential") as { extra_content: { openai: object } };
      const unnamed = callOf("call_1", { extra_content: { openai: { ...extra.openai, encrypted_for: "" } } });
      const { input } = sentFor({ messages: [calling(unnamed)] }, { credential: undefined });
      expect(orderOf(input as Record<string, unknown>[])).toEqual(["call_1"]);
    });

    test("without its encrypted content does not go along", () => {
      const { extra_content: extra } = reasonedCall("call_1", "openai-credential") as { extra_content: { openai: object } };
      const altered = { ...extra.openai, reasoning: [{ id: "rs_2", summary: [] }, "x", { encrypted_content: 5 }] };
      expect(orderOf(itemsFor([calling(callOf("call_1", { extra_content: { openai: altered } }))]))).toEqual(["call_1"]);
    });
  });

  test("declarations are flat, and strict only where chat completions are", () => {
    const tools = [TOOL, { type: "function", function: { name: "now" } }];
    expect(sentFor({ tools, parallel_tool_calls: false })).toMatchObject({
      tools: [
        { type: "function", name: "weather", description: "Tells it.", parameters: { type: "object" }, strict: true },
        { type: "function", name: "now", parameters: { type: "object", properties: {} }, strict: false },
      ],
      parallel_tool_calls: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(refusalOf(() => sentFor({ tools: [{ type: "custom", custom: { name: "x" } }] }))).toEqual(["unsupported_parameter", "tools[0]"]);
    expect(refusalOf(() => sentFor({ tools: [{ type: "function", function: { name: "a b" } }] }))).toEqual([
      "invalid_value",
      "tools[0].function.name",
    ]);
  });

  test("a model without reasoning is not asked for it", () => {
    for (const upstreamModel of ["gpt-4.1", "gpt-5-chat-latest", "chatgpt-4o-latest"])
      expect(sentFor({ tools: [TOOL] }, { upstreamModel })).not.toHaveProperty("include");
  });

  test("choices have their form of the Responses API", () => {
    const named = { type: "function", function: { name: "weather" } };
    const choiceFor = (choice: unknown): unknown => sentFor({ tools: [TOOL], tool_choice: choice })["tool_choice"];
    expect(["auto", "none", "required", named].map(choiceFor)).toEqual(["auto", "none", "required", { type: "function", name: "weather" }]);
    expect(choiceFor({ type: "allowed_tools", allowed_tools: { mode: "required", tools: [named] } })).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "weather" }],
    });
    const other = { type: "function", function: { name: "other" } };
    expect(refusalOf(() => choiceFor(other))).toEqual(["invalid_value", "tool_choice"]);
    expect(sentFor({ tool_choice: "auto" })).not.toHaveProperty("tool_choice");
  });
});

describe("parameters", () => {
  test("have their names of the Responses API", () => {
    const schema = { type: "object" };
    const format = { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
    const more = { prompt_cache_key: "k", prompt_cache_retention: "24h", user: "u", safety_identifier: "s", temperature: 1, top_p: 0.5 };
    const body = { ...more, max_tokens: 100, reasoning_effort: "high", verbosity: "low", response_format: format, stream: true };
    expect(sentFor(body)).toEqual({
      ...more,
      model: "gpt-5.5-codex",
      input: [{ role: "user", content: "Hello!" }],
      store: false,
      max_output_tokens: 100,
      reasoning: { effort: "high" },
      text: { format: { type: "json_schema", name: "answer", schema, strict: true }, verbosity: "low" },
      stream: true,
    });
  });

  test("an output limit below the API's lowest is raised to it", () => {
    expect(sentFor({ max_completion_tokens: 1 })["max_output_tokens"]).toBe(16);
    expect(sentFor({ max_completion_tokens: 100 }, { maxTokens: 50 })["max_output_tokens"]).toBe(50);
  });

  test("summaries of the reasoning are the API's own parameter, and its mode is not passed on", () => {
    const body = { reasoning_effort: "low", reasoning: { summary: "auto", mode: "pro" } };
    expect(sentFor(body)["reasoning"]).toEqual({ effort: "low", summary: "auto" });
  });

  test("what would change the response is rejected by name, and hints are dropped", () => {
    const refused = { n: 2, stop: "END", logprobs: true, top_logprobs: 2, audio: {}, modalities: ["audio"], service_tier: "flex" };
    for (const [name, value] of Object.entries(refused))
      expect(refusalOf(() => sentFor({ [name]: value }))).toEqual(["unsupported_parameter", name]);
    const { parameterMapping } = responsesCall({ seed: 1, frequency_penalty: 1, logit_bias: {}, store: true, metadata: {}, top_k: 3 });
    expect(parameterMapping.dropped).toEqual(["seed", "frequency_penalty", "logit_bias", "store", "metadata", "top_k"]);
  });

  test("a response format without a counterpart is rejected with its place", () => {
    expect(refusalOf(() => sentFor({ response_format: { type: "grammar" } }))).toEqual(["unsupported_parameter", "response_format.type"]);
    expect(refusalOf(() => sentFor({ response_format: { type: "json_schema", json_schema: { schema: {} } } }))).toEqual([
      "invalid_value",
      "response_format.json_schema.name",
    ]);
  });
});

test.each([
  ["sensible", sensibleBodies],
  ["odd", oddBodies],
] as const)("any valid request is translated to a valid one, or rejected with the name of a field: %s", (_, bodies) => {
  let sent = 0;
  // Without `stop`, which is always rejected.
  const property = fc.property(bodies, ({ stop: _stop, ...body }) => {
    fc.pre(findChatViolation(body) === undefined);
    try {
      expect(violationOfResponses(sentFor(body))).toBeUndefined();
      sent++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(["unsupported_parameter", "invalid_value"]).toContain(error.code);
      expect(error.param).toBeString();
    }
  });
  fc.assert(property, runs(500));
  expect(sent).toBeGreaterThan(20);
});
