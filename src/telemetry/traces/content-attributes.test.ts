import { expect, test } from "bun:test";
import { summarizeResponse } from "./response-summary.ts";
import { StreamContent, StreamEnds } from "./traced-request.ts";
import { MAX_CONTENT_CHARS, inputMessages, outputMessages } from "./content-attributes.ts";

const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"place":"Paris"}' } };

test("a conversation is exported in the parts of the conventions", () => {
  const { json, isCut } = inputMessages([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: "https://a.example/b.png" } },
      ],
    },
    { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "rainy" },
    { role: "assistant", content: "", refusal: "No." },
  ]);
  expect(isCut).toBe(false);
  expect(JSON.parse(json)).toEqual([
    { role: "system", parts: [{ type: "text", content: "Be brief." }] },
    {
      role: "user",
      parts: [
        { type: "text", content: "What is this?" },
        { type: "uri", modality: "image", uri: "https://a.example/b.png" },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "Hm." },
        { type: "tool_call", id: "call_1", name: "weather", arguments: { place: "Paris" } },
      ],
    },
    { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "rainy" }] },
    { role: "assistant", parts: [{ type: "refusal", content: "No." }] },
  ]);
});

test("images, audio and files are exported without their bytes", () => {
  const parts = [
    { type: "image_url", image_url: { url: "data:image/png;base64,canary" } },
    { type: "input_audio", input_audio: { data: "canary", format: "wav" } },
    { type: "file", file: { file_data: "canary" } },
  ];
  const { json } = inputMessages([{ role: "user", content: parts }]);
  expect(JSON.parse(json)).toEqual([{ role: "user", parts: [{ type: "image_url" }, { type: "input_audio" }, { type: "file" }] }]);
});

test("content is truncated at the limit and marked as such", () => {
  const cases = [
    [{ role: "user", content: "x".repeat(200_000) }],
    Array.from({ length: 10_000 }, () => ({ role: "user", content: "" })),
    [{ role: "user", content: Array.from({ length: 10_000 }, () => ({ type: "text", text: "x" })) }],
    [{ role: "assistant", tool_calls: Array.from({ length: 10_000 }, () => call) }],
    [{ role: "r".repeat(200_000), content: "x" }],
  ];
  for (const messages of cases) {
    const { json, isCut } = inputMessages(messages);
    expect(isCut).toBe(true);
    expect(JSON.parse(json)).toBeArray();
    expect(json.length).toBeLessThan(MAX_CONTENT_CHARS * 2);
  }
});

/** The exported attribute for arguments of this depth, the same for prompts and responses. */
function argumentsOf(depth: number): unknown {
  const message = { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "[".repeat(depth) + "]".repeat(depth) } }] };
  const asked = JSON.parse(inputMessages([message]).json);
  const answered = JSON.parse(outputMessages([{ message }]).json);
  expect(answered[0].parts).toEqual(asked[0].parts);
  return asked[0].parts[0].arguments;
}

test("deeply nested arguments are exported as text: serializing them again would block all requests", () => {
  expect(argumentsOf(30_000)).toBe("[".repeat(30_000) + "]".repeat(30_000));
  expect(argumentsOf(65)).toBeString();
  expect(argumentsOf(64)).toBeArray();
});

const chunkOf = (delta: object, finishReason: string | null = null, index = 0): string =>
  JSON.stringify({ id: "chatcmpl-1", choices: [{ index, delta, finish_reason: finishReason }] });

test("the chunks of a stream are joined", () => {
  const stream = new StreamContent();
  stream.capture([chunkOf({ role: "assistant", reasoning_content: "H" }), chunkOf({ reasoning_content: "m." })]);
  stream.capture([chunkOf({ content: "Hel" }), chunkOf({ content: "lo" })]);
  stream.capture([chunkOf({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }] })]);
  stream.capture([chunkOf({ tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] })]);
  stream.capture([
    chunkOf({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
    chunkOf({ content: "Second" }, "length", 1),
  ]);
  stream.capture([chunkOf({}, "tool_calls")]);
  const summary = stream.summary();
  expect([summary.id, summary.finishReasons]).toEqual(["chatcmpl-1", ["tool_calls", "length"]]);
  expect(JSON.parse(outputMessages(summary.choices).json)).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "Hm." },
        { type: "text", content: "Hello" },
        { type: "tool_call", id: "call_1", name: "weather", arguments: { place: "Paris" } },
      ],
      finish_reason: "tool_call",
    },
    { role: "assistant", parts: [{ type: "text", content: "Second" }], finish_reason: "length" },
  ]);
});

test("a long stream is captured up to the limit only", () => {
  const stream = new StreamContent();
  for (let at = 0; at < 3_000; at++) stream.capture([chunkOf({ content: "x".repeat(100) }, null, at % 7)]);
  const { json, isCut } = outputMessages(stream.summary().choices);
  expect([isCut, json.length < MAX_CONTENT_CHARS * 2]).toEqual([true, true]);
});

test("without content capture, a stream is exported with its ID and finish reason only", () => {
  const stream = new StreamEnds();
  stream.capture([chunkOf({ role: "assistant" }), chunkOf({ content: "a" })]);
  for (let at = 0; at < 10; at++) stream.capture([chunkOf({ content: "b" })]);
  stream.capture([chunkOf({}, "stop")]);
  stream.capture([chunkOf({})]);
  expect(stream.summary()).toEqual({ id: "chatcmpl-1", finishReasons: ["stop"], choices: [] });
  expect(new StreamEnds().summary()).toEqual({ id: undefined, finishReasons: undefined, choices: [] });
});

test("a response that is invalid, or too large to parse again, is exported without content", () => {
  const nothing = { id: undefined, finishReasons: undefined, choices: [] };
  for (const body of ["", "{", "[]", '"a"', `{"id":"a","x":"${"x".repeat(300_000)}"}`]) expect(summarizeResponse(body)).toEqual(nothing);
  expect(summarizeResponse('{"id":7,"choices":[null,{"finish_reason":7},{}]}')).toMatchObject({ id: undefined, finishReasons: undefined });
});
