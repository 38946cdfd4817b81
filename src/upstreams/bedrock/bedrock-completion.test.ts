import { expect, test } from "bun:test";
import { answerOf, COUNTS, reasoning, redacted, text, toolUse } from "../../../test/dialects/converse-answers.ts";
import { callOf } from "../../../test/dialects/converse-call.ts";
import type { Deviation } from "../../models/deviation.ts";
import { readBedrockCompletion } from "./bedrock-completion.ts";
import { COUNTED } from "../../../test/dialects/answer-parts.ts";

type Json = Record<string, unknown>;

function read(answer: unknown): { message: Json; finishReason: unknown; usage: unknown; reported: Deviation[] } {
  const reported: Deviation[] = [];
  const { body } = readBedrockCompletion(typeof answer === "string" ? answer : JSON.stringify(answer), callOf({}, { reported }));
  const { choices, usage } = JSON.parse(body) as { choices: { message: Json; finish_reason: unknown }[]; usage: unknown };
  return { message: choices[0]!.message, finishReason: choices[0]!.finish_reason, usage, reported };
}

const call = (id: string, name: string, args: string): Json => ({ id, type: "function", function: { name, arguments: args } });

test("text, reasoning, tool calls and counts", () => {
  const content = [reasoning("Hm.", "c2ln"), text("I look."), toolUse("a", "weather", { city: "Oslo" }), toolUse("b", "now")];
  const signed = [{ reasoningText: { text: "Hm.", signature: "c2ln" } }];
  expect(read(answerOf(content, "tool_use"))).toEqual({
    message: {
      role: "assistant",
      content: "I look.",
      refusal: null,
      reasoning_content: "Hm.",
      tool_calls: [
        { ...call("a", "weather", '{"city":"Oslo"}'), extra_content: { bedrock: { reasoning: signed } } },
        call("b", "now", "{}"),
      ],
    },
    finishReason: "tool_calls",
    usage: COUNTED,
    reported: [],
  });
});

test("encrypted reasoning is kept for its call, and not shown", () => {
  const { message } = read(answerOf([redacted("ZGF0YQ=="), toolUse("a", "now")], "tool_use"));
  expect(message).not.toHaveProperty("reasoning_content");
  expect(JSON.stringify(message)).toContain('{"bedrock":{"reasoning":[{"redactedContent":"ZGF0YQ=="}]}}');
});

test("preserves the digits of numbers in arguments", () => {
  const answer = JSON.stringify(answerOf([toolUse("a", "now", { id: "DIGITS" })], "tool_use")).replace('"DIGITS"', "12345678901234567890");
  expect(JSON.stringify(read(answer).message)).toContain(String.raw`{\"id\":12345678901234567890}`);
});

test.each([
  [{ ...answerOf([text("Hi")]), usage: undefined }, "usage_missing"],
  [answerOf([text("Hi")], "end_turn", { ...COUNTS, outputTokens: "x" }), "usage_malformed"],
  [answerOf([text("Hi"), { video: {} }]), "event_unexpected"],
  [answerOf([{ toolUse: { name: "x", input: {} } }], "tool_use"), "tool_id_missing"],
])("deviations are reported: %#", (answer, deviation) => {
  expect(read(answer).reported).toEqual([deviation as Deviation]);
});

test.each(["", "x", "null", "{}", '{"output":{}}', '{"output":{"message":{"content":"x"}}}'])("%j is not understood", (answer) => {
  expect(() => read(answer)).toThrow("could not be understood");
});
