import { expect, test } from "bun:test";
import { argumentsIn, objectIn } from "./call-arguments.ts";

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

test("keeps deeply nested brackets as text, in linear time", () => {
  expect(objectIn(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toBeUndefined();
});
