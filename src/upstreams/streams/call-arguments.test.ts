import { describe, expect, test } from "bun:test";
import { JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { argumentsIn, refuseLargeArguments, resultIn } from "./call-arguments.ts";

test.each([
  ["", {}],
  [" ", {}],
  [null, {}],
  [' {"city":"Oslo"}', { city: "Oslo" }],
  ["[1]", { arguments: "[1]" }],
  ['"Oslo"', { arguments: '"Oslo"' }],
  ["12345678901234567890", { arguments: "12345678901234567890" }],
  ['{"city":', { arguments: '{"city":' }],
])("the arguments %j are an object", (text, expected) => {
  expect(argumentsIn(text)).toEqual(expected);
});

test("preserves the digits of numbers", () => {
  expect(JSON.stringify(argumentsIn('{"id":12345678901234567890}'))).toBe('{"id":12345678901234567890}');
});

const call = (text: string): object => ({ function: { name: "save", arguments: text } });
const rejection = (...messages: Record<string, unknown>[]): string => {
  try {
    refuseLargeArguments(messages);
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
};
const values = (count: number): string => `{"list":[${"1,".repeat(count)}1]}`;
const brackets = (levels: number): string => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("arguments that exceed the limits of a body", () => {
  test("are rejected by their number of values, in one call or in many", () => {
    expect(rejection({ tool_calls: [call(values(6_000_000))] })).toBe(
      "messages[0].tool_calls[0] and the calls before it have more than 200000 values.",
    );
    const many = Array.from({ length: 101 }, () => ({ tool_calls: [call(values(1000)), call(values(1000))] }));
    expect(rejection(...many)).toBe("messages[100].tool_calls[0] and the calls before it have more than 200000 values.");
    expect(rejection(...many.slice(1))).toBe("none");
    expect(rejection({ function_call: { name: "save", arguments: values(300_000) } })).toStartWith("messages[0].function_call and");
    expect(rejection({ tool_calls: [{ custom: { name: "save", input: values(300_000) } }] })).toStartWith("messages[0].tool_calls[0] and");
  });

  test("are rejected by their depth", () => {
    expect(rejection({ tool_calls: [call(brackets(255))] })).toBe("none");
    expect(rejection({ tool_calls: [call(brackets(256))] })).toBe(
      "messages[0].tool_calls[0] has arguments that nest deeper than 256 levels.",
    );
  });

  test("are not rejected where they are not parsed: text that is not an object", () => {
    expect(rejection({ tool_calls: [call(",".repeat(300_000)), call("[".repeat(300_000)), call("")] })).toBe("none");
  });

  test("stay text in a tool result", () => {
    const budget = new JsonBudget(JSON_LIMITS);
    expect(resultIn('{"a":1}', budget)).toEqual({ a: 1 });
    expect([resultIn(brackets(256), budget), resultIn(values(300_000), budget)]).toEqual([undefined, undefined]);
  });
});
