import { describe, expect, test } from "bun:test";
import { callOf } from "../../../test/dialects/messages-call.ts";
import { message, redacted, text, thinking, toolUse } from "../../../test/dialects/messages-answers.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { Completion } from "../upstream.ts";
import { toCompletion } from "./anthropic-completion.ts";
import { COUNTED } from "../../../test/dialects/answer-parts.ts";

const reported: Deviation[] = [];

function read(answer: unknown): Completion {
  reported.length = 0;
  return toCompletion(typeof answer === "string" ? answer : JSON.stringify(answer), callOf({}, { reported }));
}

const bodyOf = (answer: unknown): Record<string, unknown> => JSON.parse(read(answer).body) as Record<string, unknown>;
const choiceOf = (answer: unknown): unknown => (bodyOf(answer)["choices"] as unknown[])[0];

test("translates text with its id, the public model name and token counts", () => {
  expect(bodyOf(message([text("Hello"), text(" world")]))).toEqual({
    id: "msg_1",
    object: "chat.completion",
    created: expect.any(Number),
    model: "public",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello world", refusal: null }, logprobs: null, finish_reason: "stop" }],
    usage: COUNTED,
  });
  expect(read(message([text("Hello")])).usage).toMatchObject({
    promptTokens: 15,
    completionTokens: 7,
    cachedTokens: 3,
    cacheWriteTokens: 2,
  });
  expect(reported).toEqual([]);
});

test("serializes tool call arguments, and sets content to null if there is no text", () => {
  const answer = message([toolUse("toolu_1", "weather", { city: "Oslo" }), toolUse("toolu_2", "now")], "tool_use");
  expect(choiceOf(answer)).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: null,
      tool_calls: [
        { id: "toolu_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "toolu_2", type: "function", function: { name: "now", arguments: "{}" } },
      ],
    },
  });
});

test("preserves every digit of numbers in tool call arguments", () => {
  const answer = JSON.stringify(message([toolUse("a", "find", { id: 0 })], "tool_use")).replace('"id":0', '"id":12345678901234567890');
  expect(read(answer).body).toContain('"arguments":"{\\"id\\":12345678901234567890}"');
});

test("returns thinking as reasoning_content, and attaches it to the next tool call", () => {
  const first = thinking("Look. ");
  const answer = message([first, redacted(), text("I look."), toolUse("a", "x"), thinking("Again."), toolUse("b", "y")], "tool_use");
  expect(choiceOf(answer)).toMatchObject({
    message: {
      content: "I look.",
      reasoning_content: "Look. Again.",
      tool_calls: [
        { id: "a", extra_content: { anthropic: { thinking: [first, redacted()] } } },
        { id: "b", extra_content: { anthropic: { thinking: [thinking("Again.")] } } },
      ],
    },
  });
});

test("does not attach unsigned thinking to tool calls", () => {
  const unsigned = { type: "thinking", thinking: "Hm." };
  expect(choiceOf(message([unsigned, toolUse("a", "x")], "tool_use"))).toMatchObject({ message: { reasoning_content: "Hm." } });
  expect(read(message([unsigned, toolUse("a", "x")], "tool_use")).body).not.toContain("extra_content");
});

test("returns thinking without a tool call as reasoning_content only", () => {
  const { message: received } = choiceOf(message([thinking("Hm."), text("Hello")])) as { message: object };
  expect(received).toEqual({ role: "assistant", content: "Hello", refusal: null, reasoning_content: "Hm." });
});

test("ignores blocks of server-side tools", () => {
  const blocks = [
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "web_search_tool_result", content: [] },
  ];
  const cited = { ...text("Rain."), citations: [{ type: "web_search_result_location" }] };
  expect(choiceOf(message([...blocks, cited]))).toMatchObject({ message: { content: "Rain." } });
  expect(reported).toEqual(["event_unexpected", "event_unexpected"]);
});

test("translates empty content to an empty string", () => {
  expect(choiceOf(message([]))).toMatchObject({ message: { content: "" }, finish_reason: "stop" });
});

test("measures uncounted output in bytes", () => {
  const { usage, uncountedBytes, body } = read(message([text("Hello"), toolUse("a", "x", { b: 1 })], "tool_use", { usage: undefined }));
  expect([usage, uncountedBytes]).toEqual([undefined, 5 + 1 + 7]);
  expect(JSON.parse(body)).not.toHaveProperty("usage");
  expect(reported).toEqual(["usage_missing"]);
});

test("generates missing ids", () => {
  const { id, choices } = bodyOf(message([{ type: "tool_use", name: "x", input: {} }], "tool_use", { id: null })) as {
    id: string;
    choices: { message: { tool_calls: { id: string }[] } }[];
  };
  expect([id, choices[0]!.message.tool_calls[0]!.id]).toEqual([expect.stringMatching(/^msg_.+/), expect.stringMatching(/^toolu_.+/)]);
  expect(reported).toEqual(["tool_id_missing", "id_missing"]);
});

describe("an invalid response", () => {
  test.each(["", "[]", "7", "{}", '{"content":"x"}', "<html>"])("%j is rejected", (answer) => {
    expect(() => read(answer)).toThrow(expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }));
  });

  test("with an error object becomes that error", () => {
    const answer = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(() => read(answer)).toThrow(expect.objectContaining({ code: "overloaded", fault: { kind: "failed" } }));
  });
});
