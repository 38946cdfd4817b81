import { describe, expect, test } from "bun:test";
import { toConversation } from "./anthropic-turns.ts";

type Message = Record<string, unknown>;

const QUESTION = { role: "user", content: "Is it raining?" };
const THOUGHT = { type: "thinking", thinking: "Look outside.", signature: "c2ln" };
const REDACTED = { type: "redacted_thinking", data: "ZGF0YQ==" };

const call = (id: string, args: unknown = '{"city":"Oslo"}', more: object = {}): object => ({
  id,
  type: "function",
  function: { name: "weather", arguments: args },
  ...more,
});
const calls = (...toolCalls: object[]): Message => ({ role: "assistant", content: null, tool_calls: toolCalls });
const result = (id: string, content: unknown): Message => ({ role: "tool", tool_call_id: id, content });
const use = (id: string, input: unknown = { city: "Oslo" }): object => ({ type: "tool_use", id, name: "weather", input });
const text = (words: string): object => ({ type: "text", text: words });
const turnsOf = (...messages: Message[]): readonly { content: unknown[] }[] => toConversation(messages).turns;

describe("tool calls", () => {
  test("follow the text of the message", () => {
    const [, turn] = turnsOf(QUESTION, { ...calls(call("a"), call("b")), content: "I look." });
    expect(turn!.content).toEqual([text("I look."), use("a"), use("b")]);
  });

  test.each([
    ["", {}],
    ["{}", {}],
    ['{"id":12345678901234567890}', '{"id":12345678901234567890}'],
    ["[1]", { arguments: "[1]" }],
    ['{"city":', { arguments: '{"city":' }],
    [null, {}],
  ])("with the arguments %j are sent", (args, input) => {
    const [, turn] = turnsOf(QUESTION, calls(call("a", args)));
    const sent = (turn!.content[0] as { input: unknown }).input;
    expect(typeof input === "string" ? JSON.stringify(sent) : sent).toEqual(input);
  });

  test("with deeply nested brackets as arguments are sent as text, in linear time", () => {
    const brackets = "[".repeat(2_500) + "]".repeat(2_500);
    const [, turn] = turnsOf(QUESTION, calls(call("a", brackets)));
    expect((turn!.content[0] as { input: unknown }).input).toEqual({ arguments: brackets });
  });

  test("with ids that the API rejects get new ids, and so do their results", () => {
    const [, called, answered] = turnsOf(
      QUESTION,
      calls(call("call:1.a"), call("call:1:a")),
      result("call:1:a", "b"),
      result("call:1.a", "a"),
    );
    const [first, second] = called!.content as { id: string }[];
    expect([first!.id, second!.id].every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(first!.id).not.toBe(second!.id);
    expect(answered!.content).toMatchObject([
      { tool_use_id: second!.id, content: "b" },
      { tool_use_id: first!.id, content: "a" },
    ]);
  });

  test("are preceded by their thinking, and the first call's thinking precedes all blocks", () => {
    const first = call("a", "{}", { extra_content: { anthropic: { thinking: [THOUGHT, REDACTED] } } });
    const second = call("b", "{}", { extra_content: { anthropic: { thinking: [THOUGHT] } } });
    const [, turn] = turnsOf(QUESTION, { ...calls(first, second), content: "I look." });
    expect(turn!.content).toEqual([THOUGHT, REDACTED, text("I look."), use("a", {}), THOUGHT, use("b", {})]);
  });

  test("ignore invalid thinking blocks", () => {
    const blocks = [{ type: "thinking", thinking: "unsigned" }, { type: "text", text: "x" }, "y", null, { type: "redacted_thinking" }];
    for (const extra of [{ anthropic: { thinking: blocks } }, { anthropic: { thinking: "x" } }, { google: {} }, "x"]) {
      const [, turn] = turnsOf(QUESTION, calls(call("a", "{}", { extra_content: extra })));
      expect(turn!.content).toEqual([use("a", {})]);
    }
  });

  test.each([
    [{ id: "a", type: "custom", custom: { name: "x", input: "y" } }, "unsupported_parameter", "messages[1].tool_calls[0]"],
    [{ type: "function", function: { name: "x" } }, "invalid_value", "messages[1].tool_calls[0].id"],
    [{ id: "a", function: {} }, "invalid_value", "messages[1].tool_calls[0].function.name"],
  ])("that are invalid are rejected: %j", (toolCall, code, param) => {
    expect(() => turnsOf(QUESTION, calls(toolCall))).toThrow(expect.objectContaining({ code, param }));
  });
});

describe("tool results", () => {
  test("of parallel calls share one turn, before the user's text", () => {
    const [, , turn] = turnsOf(QUESTION, calls(call("a"), call("b")), result("a", "rain"), result("b", "sun"), {
      role: "user",
      content: "And?",
    });
    expect(turn!.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "rain" },
      { type: "tool_result", tool_use_id: "b", content: "sun" },
      text("And?"),
    ]);
  });

  test("come first even where the user's text precedes them", () => {
    const [, , turn] = turnsOf(QUESTION, calls(call("a")), { role: "user", content: "Well?" }, result("a", "rain"));
    expect(turn!.content).toEqual([{ type: "tool_result", tool_use_id: "a", content: "rain" }, text("Well?")]);
  });

  test("may contain images, and carry one cache breakpoint", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const parts = [
      { type: "image_url", image_url: { url: "https://a.example/b.png" } },
      { ...text("A map."), ...mark },
    ];
    const [, , turn] = turnsOf(QUESTION, calls(call("a")), result("a", parts));
    const content = [{ type: "image", source: { type: "url", url: "https://a.example/b.png" } }, text("A map.")];
    expect(turn!.content).toEqual([{ type: "tool_result", tool_use_id: "a", content, ...mark }]);
  });

  test("may be empty", () => {
    const [, , turn] = turnsOf(QUESTION, calls(call("a")), result("a", ""));
    expect(turn!.content).toEqual([{ type: "tool_result", tool_use_id: "a" }]);
  });

  test("require a tool_call_id", () => {
    expect(() => turnsOf({ role: "tool", content: "rain" })).toThrow(
      expect.objectContaining({ code: "invalid_value", param: "messages[0].tool_call_id" }),
    );
  });
});

test("matches legacy function calls and results by the function's name", () => {
  const called = { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } };
  const answered = { role: "function", name: "weather", content: "rain" };
  const turns = turnsOf(QUESTION, called, answered, called, answered);
  const ids = turns
    .slice(1)
    .map(({ content }) => (content[0] as { id?: string; tool_use_id?: string }).id ?? (content[0] as { tool_use_id: string }).tool_use_id);
  expect(ids).toEqual(["function_call_1", "function_call_1", "function_call_3", "function_call_3"]);
});
