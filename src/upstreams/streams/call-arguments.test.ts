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

test("numbers keep their digits", () => {
  expect(JSON.stringify(argumentsIn('{"id":12345678901234567890}'))).toBe('{"id":12345678901234567890}');
});

test("an object of nothing but brackets stays a text, which takes no time to write", () => {
  expect(objectIn(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toBeUndefined();
});
