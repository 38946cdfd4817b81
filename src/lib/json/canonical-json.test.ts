import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { canonicalJson } from "./canonical-json.ts";

const canonical = (text: string): string | undefined => canonicalJson(JSON.parse(text));

test("whitespace, key order and the notation of numbers and strings make no difference", () => {
  expect(canonical('{"b":[1, 2.50, 1e2],"a":{"y":null,"x":true}}')).toBe('{"a":{"x":true,"y":null},"b":[1,2.5,100]}');
  expect(canonical('{ "a": "\\u0041\\/" }')).toBe(canonical('{"a":"A/"}'));
  expect(canonical("[-0, 1.0]")).toBe("[0,1]");
});

test("different values have different canonical texts", () => {
  const values = [
    "1",
    '"1"',
    "[1]",
    '{"0":1}',
    "null",
    '""',
    '{"a":null}',
    "{}",
    "[]",
    "[[]]",
    '{"__proto__":1}',
    '"\\ud800"',
    '"\\ud801"',
  ];
  expect(new Set(values.map(canonical)).size).toBe(values.length);
});

test("a number that would be rounded has no canonical text, wherever it is", () => {
  for (const text of ["9007199254740993", "-9007199254740993", "1e400", '{"a":[{"b":9007199254740993}]}']) {
    expect(canonical(text)).toBeUndefined();
  }
  expect(canonical("9007199254740991")).toBe("9007199254740991");
});

test("canonical text parses to the same value, and is its own canonical text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      if (text === undefined) return;
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonical(text)).toBe(text);
    }),
    runs(300),
  );
});
