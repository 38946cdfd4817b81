import { describe, expect, test } from "bun:test";
import { parseStart } from "./complete-json.ts";
import { readReply, readRequest } from "./read-chat.ts";

const call = (id: string, name: string, given: string): object => ({ id, type: "function", function: { name, arguments: given } });

describe("a request", () => {
  test("has its parts by kind, tool results by the ID of their call, and its parameters", () => {
    const body = {
      model: "m",
      temperature: 0,
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          name: "ada",
          content: [
            { type: "text", text: "<b>see</b>" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
            { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
            { type: "file", file: { filename: "a.pdf", file_data: "data:," } },
            { type: "video", url: "x" },
          ],
        },
        { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [call("c1", "weather", "{}"), call("c2", "time", "{}")] },
        { role: "tool", tool_call_id: "c2", content: "noon" },
        { role: "tool", tool_call_id: "c9", content: [{ type: "text", text: "sun" }] },
        { role: "assistant", content: "", refusal: "No." },
        "nonsense",
      ],
    };
    const { messages, parameters } = readRequest(JSON.stringify(body))!;
    expect(parameters).toEqual({ model: "m", temperature: 0 });
    expect(messages).toEqual([
      { title: "system", parts: [{ kind: "text", text: "Be brief." }] },
      {
        title: "user ada",
        parts: [
          { kind: "text", text: "<b>see</b>" },
          { kind: "image", url: "data:image/png;base64,AA==" },
          { kind: "attachment", name: "Audio wav" },
          { kind: "attachment", name: "File a.pdf" },
          { kind: "other", json: '{\n  "type": "video",\n  "url": "x"\n}' },
        ],
      },
      {
        title: "assistant",
        parts: [
          { kind: "reasoning", text: "hm" },
          { kind: "tool_call", id: "c1", name: "weather", arguments: "{}" },
          { kind: "tool_call", id: "c2", name: "time", arguments: "{}" },
        ],
      },
      { title: "Result of time", parts: [{ kind: "text", text: "noon" }] },
      { title: "Result of unknown call c9", parts: [{ kind: "text", text: "sun" }] },
      { title: "assistant", parts: [{ kind: "refusal", text: "No." }] },
      { title: "message", parts: [] },
    ]);
  });

  test.each(["", "null", "[1", "hello", '"text"'])("of %j is shown as JSON only, or has no messages", (text) => {
    expect(readRequest(text)?.messages ?? []).toEqual([]);
  });
});

const events = (...deltas: object[]): string =>
  [...deltas.map((delta) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })), "[DONE]"].join("\n");

describe("a response", () => {
  test("of a stream is assembled: text, reasoning and tool calls by index", () => {
    const text = events(
      { role: "assistant", content: "" },
      { reasoning_content: "h" },
      { reasoning_content: "m" },
      { content: "Hel" },
      { content: "lo" },
      { tool_calls: [{ index: 0, ...call("c1", "weather", '{"ci') }] },
      { tool_calls: [{ index: 1, ...call("c2", "time", "{}") }] },
      { tool_calls: [{ index: 0, function: { arguments: 'ty":1}' } }] },
    );
    expect(readReply(text, true)).toEqual([
      {
        title: "assistant",
        parts: [
          { kind: "reasoning", text: "hm" },
          { kind: "text", text: "Hello" },
          { kind: "tool_call", id: "c1", name: "weather", arguments: '{"city":1}' },
          { kind: "tool_call", id: "c2", name: "time", arguments: "{}" },
        ],
      },
    ]);
  });

  test("has one message per choice, with the reason of its end", () => {
    const choices = [
      { index: 0, message: { content: "one" }, finish_reason: "stop" },
      { index: 1, message: { refusal: "two", content: null }, finish_reason: "length" },
    ];
    expect(readReply(JSON.stringify({ choices }), false)).toEqual([
      { title: "assistant, choice 1", parts: [{ kind: "text", text: "one" }], finishReason: "stop" },
      { title: "assistant, choice 2", parts: [{ kind: "refusal", text: "two" }], finishReason: "length" },
    ]);
  });

  test("without a choice is undefined", () => {
    expect(readReply("[DONE]", true)).toBeUndefined();
    expect(readReply('{"error":{"message":"no"}}', false)).toBeUndefined();
  });
});

test("the start of a truncated JSON is read at every position", () => {
  const whole = { a: 'q"\\', m: [{ r: "é\u{1f642}\u0001x", c: [1, true, null, { d: {} }] }], z: "\\\\" };
  const text = JSON.stringify(whole).replace("é", String.raw`\u00e9`);
  for (let cut = 1; cut < text.length; cut++) {
    expect([cut, typeof parseStart(text.slice(0, cut))]).toEqual([cut, "object"]);
  }
  expect(parseStart(text)).toEqual(whole);
  expect(parseStart('{"messages":[{"role":"user","content":"Hel')).toEqual({ messages: [{ role: "user", content: "Hel…" }] });
});

const event = (type: string, more: object): string => JSON.stringify({ type, ...more });
const TEXT = { kind: "text", text: "Hello" } as const;
const CALL = { kind: "tool_call", id: "c1", name: "weather", arguments: '{"city":"Oslo"}' } as const;

test("a request of the Messages API has its system prompt, its tools and their results", () => {
  const body = {
    model: "m",
    max_tokens: 5,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "sun" },
          { type: "text", text: "Hello" },
        ],
      },
    ],
  };
  expect(readRequest(JSON.stringify(body))).toEqual({
    parameters: { model: "m", max_tokens: 5 },
    messages: [
      { title: "system", parts: [{ kind: "text", text: "Be brief." }] },
      { title: "user", parts: [{ kind: "image", url: "data:image/png;base64,AA==" }] },
      { title: "assistant", parts: [{ kind: "reasoning", text: "hm" }, CALL] },
      { title: "Result of weather", parts: [{ kind: "text", text: "sun" }] },
      { title: "user", parts: [TEXT] },
    ],
  });
});

test("a request of the Responses API has its instructions, its items and the results of tools", () => {
  const input = [
    { role: "user", content: [{ type: "input_text", text: "Hello" }] },
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" },
    { type: "function_call", call_id: "c1", name: "weather", arguments: CALL.arguments },
    { type: "function_call_output", call_id: "c1", output: "sun" },
  ];
  const { messages } = readRequest(JSON.stringify({ instructions: "Be brief.", input }))!;
  expect(messages).toEqual([
    { title: "system", parts: [{ kind: "text", text: "Be brief." }] },
    { title: "user", parts: [TEXT] },
    { title: "assistant", parts: [{ kind: "reasoning", text: "hm" }] },
    { title: "assistant", parts: [CALL] },
    { title: "Result of weather", parts: [{ kind: "text", text: "sun" }] },
  ]);
  expect(readRequest('{"input":"Hello"}')!.messages).toEqual([{ title: "user", parts: [TEXT] }]);
});

test("a response of the Messages API is the same as JSON and as a stream, and is shown up to where it was cut off", () => {
  const content = [
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
  ];
  const expected = [{ title: "assistant", parts: [TEXT, CALL], finishReason: "tool_use" }];
  expect(readReply(JSON.stringify({ type: "message", content, stop_reason: "tool_use" }), false)).toEqual(expected);
  const lines = [
    event("message_start", { message: { content: [] } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hel" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "lo" } }),
    event("content_block_start", { index: 1, content_block: { type: "tool_use", id: "c1", name: "weather", input: {} } }),
    event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: CALL.arguments } }),
    event("message_delta", { delta: { stop_reason: "tool_use" } }),
    event("message_stop", {}),
  ];
  expect(readReply(lines.join("\n"), true)).toEqual(expected);
  expect(readReply(lines.slice(0, 4).join("\n"), true)).toEqual([{ title: "assistant", parts: [TEXT] }]);
});

test("a response of the Responses API is the same as JSON and as a stream, and is shown up to where it was cut off", () => {
  const output = [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] },
    { type: "function_call", call_id: "c1", name: "weather", arguments: CALL.arguments },
  ];
  const expected = [{ title: "assistant", parts: [TEXT, CALL], finishReason: "completed" }];
  expect(readReply(JSON.stringify({ object: "response", output, status: "completed" }), false)).toEqual(expected);
  const lines = [
    event("response.created", { response: { status: "in_progress" } }),
    event("response.output_text.delta", { output_index: 0, delta: "Hel" }),
    event("response.output_text.delta", { output_index: 0, delta: "lo" }),
    event("response.output_item.done", { output_index: 0, item: output[0] }),
    event("response.output_item.done", { output_index: 1, item: output[1] }),
    event("response.completed", { response: { status: "completed", output } }),
  ];
  expect(readReply(lines.join("\n"), true)).toEqual(expected);
  expect(readReply(lines.slice(0, 3).join("\n"), true)).toEqual([{ title: "assistant", parts: [TEXT], finishReason: "in_progress" }]);
});
