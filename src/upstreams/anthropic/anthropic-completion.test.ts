import { describe, expect, test } from "bun:test";
import { callOf } from "../../../test/dialects/messages-call.ts";
import { COUNTED, message, redacted, text, thinking, toolUse } from "../../../test/dialects/messages-answers.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { Completion } from "../upstream.ts";
import { toCompletion } from "./anthropic-completion.ts";

const reported: Deviation[] = [];

function read(answer: unknown): Completion {
  reported.length = 0;
  return toCompletion(typeof answer === "string" ? answer : JSON.stringify(answer), callOf({}, { reported }));
}

const bodyOf = (answer: unknown): Record<string, unknown> => JSON.parse(read(answer).body) as Record<string, unknown>;
const choiceOf = (answer: unknown): unknown => (bodyOf(answer)["choices"] as unknown[])[0];

test("a text arrives whole, with its id, the public name of the model, and its counts", () => {
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

test("calls of tools have their arguments as text, and no content where nothing was said", () => {
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

test("arguments keep every digit", () => {
  const answer = JSON.stringify(message([toolUse("a", "find", { id: 0 })], "tool_use")).replace('"id":0', '"id":12345678901234567890');
  expect(read(answer).body).toContain('"arguments":"{\\"id\\":12345678901234567890}"');
});

test("thinking is shown as reasoning, and kept with the call that follows it", () => {
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

test("thinking of servers that do not sign it is shown, and not kept", () => {
  const unsigned = { type: "thinking", thinking: "Hm." };
  expect(choiceOf(message([unsigned, toolUse("a", "x")], "tool_use"))).toMatchObject({ message: { reasoning_content: "Hm." } });
  expect(read(message([unsigned, toolUse("a", "x")], "tool_use")).body).not.toContain("extra_content");
});

test("thinking that leads to no call is shown, and nothing more", () => {
  const { message: said } = choiceOf(message([thinking("Hm."), text("Hello")])) as { message: object };
  expect(said).toEqual({ role: "assistant", content: "Hello", refusal: null, reasoning_content: "Hm." });
});

test("the work of the provider's own tools is passed over", () => {
  const blocks = [
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "web_search_tool_result", content: [] },
  ];
  const cited = { ...text("Rain."), citations: [{ type: "web_search_result_location" }] };
  expect(choiceOf(message([...blocks, cited]))).toMatchObject({ message: { content: "Rain." } });
  expect(reported).toEqual(["event_unexpected", "event_unexpected"]);
});

test("an answer of nothing is an empty text", () => {
  expect(choiceOf(message([]))).toMatchObject({ message: { content: "" }, finish_reason: "stop" });
});

test("what was not counted is measured by its bytes", () => {
  const { usage, uncountedBytes, body } = read(message([text("Hello"), toolUse("a", "x", { b: 1 })], "tool_use", { usage: undefined }));
  expect([usage, uncountedBytes]).toEqual([undefined, 5 + 1 + 7]);
  expect(JSON.parse(body)).not.toHaveProperty("usage");
  expect(reported).toEqual(["usage_missing"]);
});

test("ids that are missing are made", () => {
  const { id, choices } = bodyOf(message([{ type: "tool_use", name: "x", input: {} }], "tool_use", { id: null })) as {
    id: string;
    choices: { message: { tool_calls: { id: string }[] } }[];
  };
  expect([id, choices[0]!.message.tool_calls[0]!.id]).toEqual([expect.stringMatching(/^msg_.+/), expect.stringMatching(/^toolu_.+/)]);
  expect(reported).toEqual(["tool_id_missing", "id_missing"]);
});

describe("what is no answer", () => {
  test.each(["", "[]", "7", "{}", '{"content":"x"}', "<html>"])("%j is not understood", (answer) => {
    expect(() => read(answer)).toThrow(expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }));
  });

  test("is the error that it says", () => {
    const answer = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(() => read(answer)).toThrow(expect.objectContaining({ code: "overloaded", fault: { kind: "failed" } }));
  });
});
