import { expect, test } from "bun:test";
import { expectGoodCompletion } from "../../../test/support/upstreams/conformance.ts";
import { callThatReports, PUBLIC_MODEL } from "../../../test/support/upstreams/mend-stream.ts";
import { completion, USAGE } from "../../../test/support/upstreams/mock-upstream.ts";
import type { Deviation } from "../../models/deviation.ts";
import { withField } from "../../lib/json/json-text.ts";
import { relayCompletion } from "./relay-completion.ts";

function relay(answer: object): { message: object; finishReason: unknown; reported: Deviation[] } {
  const reported: Deviation[] = [];
  const { body, usage } = relayCompletion(
    JSON.stringify(answer),
    callThatReports((deviation) => void reported.push(deviation)),
  );
  // The gateway adds its estimate if the upstream sends no usage.
  const whole = usage ? body : withField(body, "usage", JSON.stringify(USAGE));
  const [choice] = expectGoodCompletion(whole, PUBLIC_MODEL)["choices"] as { message: object; finish_reason: unknown }[];
  return { message: choice!.message, finishReason: choice!.finish_reason, reported };
}

const withChoice = (change: object, message: object = {}): object => {
  const answer = completion(message) as { choices: object[] };
  return { ...answer, choices: answer.choices.map((choice) => ({ ...choice, ...change })) };
};
const withCall = (call: object): object => withChoice({ finish_reason: "tool_calls" }, { content: null, tool_calls: [call] });
const CALL = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };

function twoChoices(): object {
  const answer = completion() as { choices: object[] };
  return { ...answer, choices: [...answer.choices, { ...answer.choices[0], index: 1 }] };
}

/** A JSON response for each format deviation. */
const CASES: Partial<Record<Deviation, object>> = {
  id_missing: { ...completion(), id: undefined },
  created_malformed: { ...completion(), created: "1700000000" },
  object_wrong: { ...completion(), object: "chat.completion.chunk" },
  error_null: { ...completion(), error: null },
  index_missing: withChoice({ index: undefined }),
  role_missing: withChoice({}, { role: null }),
  content_missing: withChoice({}, { content: undefined }),
  message_malformed: withChoice({}, { reasoning_content: 5, tool_calls: { a: 1 } }),
  content_in_parts: withChoice({}, { content: [{ type: "text", text: "Hello" }, { text: " world" }] }),
  reasoning_renamed: withChoice({}, { reasoning: "Hm." }),
  tool_id_missing: withCall({ ...CALL, id: undefined }),
  tool_type_missing: withCall({ ...CALL, type: undefined }),
  tool_name_missing: withCall({ ...CALL, function: { arguments: "{}" } }),
  arguments_not_text: withCall({ ...CALL, function: { name: "weather", arguments: {} } }),
  arguments_empty: withCall({ ...CALL, function: { name: "weather", arguments: "" } }),
  arguments_unparsable: withCall({ ...CALL, function: { name: "weather", arguments: "{" } }),
  finish_reason_missing: withChoice({ finish_reason: undefined }),
  finish_reason_renamed: withChoice({ finish_reason: "eos" }),
  finish_reason_unknown: withChoice({ finish_reason: "because" }),
  finish_reason_wrong: withChoice({}, { tool_calls: [CALL] }),
  usage_malformed: { ...completion(), usage: { prompt_tokens: 5, completion_tokens: 2 } },
  usage_per_choice: { ...twoChoices(), timings: { predicted_n: 2 } },
  usage_implausible: withChoice({}, { content: "x".repeat(10_000) }),
  usage_missing: { ...completion(), usage: undefined },
};

test.each(Object.entries(CASES))("repairs a JSON response with %s, and reports the deviation once", (name, answer) => {
  expect(relay(answer).reported).toEqual([name as Deviation]);
});

test("reports nothing for a well-formed JSON response", () => {
  expect(relay(completion()).reported).toEqual([]);
  expect(relay(withCall(CALL)).reported).toEqual([]);
  expect(
    relay(withChoice({ finish_reason: "length" }, { tool_calls: [{ ...CALL, function: { name: "f", arguments: "{" } }] })).reported,
  ).toEqual([]);
});

test("repairs a tool call that has only an id", () => {
  const { message, reported } = relay(withCall({ id: "c1" }));
  expect(message).toMatchObject({ tool_calls: [{ id: "c1", type: "function", function: { name: "", arguments: "{}" } }] });
  expect(reported.toSorted()).toEqual([
    "arguments_empty",
    "arguments_not_text",
    "tool_function_missing",
    "tool_name_missing",
    "tool_type_missing",
  ]);
});

test("moves thinking parts of the content to reasoning_content", () => {
  const thinking = {
    type: "thinking",
    thinking: [
      { type: "text", text: "Two and" },
      { type: "text", text: " two." },
    ],
    closed: true,
  };
  const text = { type: "text", text: "Four" };
  const wanted = { content: "Four", reasoning_content: "Two and two." };
  expect(relay(withChoice({}, { content: [thinking, text, { type: "reference", reference_ids: [1] }] })).message).toMatchObject(wanted);
  expect(relay(withChoice({}, { content: [{ type: "thinking", thinking: "Two and two." }, text] })).message).toMatchObject(wanted);
});

test("keeps reasoning under either name where the other one is empty", () => {
  const wanted = { reasoning_content: "Hm." };
  expect(relay(withChoice({}, { reasoning: "Hm.", reasoning_content: "" })).message).toMatchObject(wanted);
  expect(relay(withChoice({}, { reasoning: "", reasoning_content: "Hm." })).message).toMatchObject(wanted);
});

test("maps finish reasons to the format's finish reasons", () => {
  expect(relay(withChoice({ finish_reason: "MAX_TOKENS" })).finishReason).toBe("length");
  expect(relay(withChoice({ finish_reason: "eos" }, { tool_calls: [CALL] })).finishReason).toBe("tool_calls");
  expect(() => relay(withChoice({ finish_reason: "error" }))).toThrow("broke off");
});

test.each([
  ["no", undefined],
  ["a null", null],
  ["an empty", ""],
  ["a numeric", 0],
  ["an object as", {}],
])("%s finish reason becomes stop, or tool_calls where there are tool calls, and is reported", (_, reason) => {
  const text = relay(withChoice({ finish_reason: reason }));
  expect([text.finishReason, text.reported]).toEqual(["stop", ["finish_reason_missing"]]);
  const call = relay(withChoice({ finish_reason: reason }, { content: null, tool_calls: [CALL] }));
  expect([call.finishReason, call.reported]).toEqual(["tool_calls", ["finish_reason_missing"]]);
});

test("an unknown finish reason becomes stop, or tool_calls where there are tool calls, and is reported", () => {
  expect(relay(withChoice({ finish_reason: "because" })).finishReason).toBe("stop");
  const call = relay(withChoice({ finish_reason: "because" }, { tool_calls: [CALL] }));
  expect([call.finishReason, call.reported]).toEqual(["tool_calls", ["finish_reason_unknown"]]);
});
