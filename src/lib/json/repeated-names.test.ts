import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { countFields, findRepeatedName } from "./repeated-names.ts";

test.each([
  ['{"a":1,"a":2}', ["a"]],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"m":[{"x":1},{"y":1 , "z":{}, "y" :2}]}', ["m", 1, "y"]],
  ['{"m":[[{}, {"x":"\\"x\\":", "x":1}]]}', ["m", 0, 1, "x"]],
  ['[{"x":{"x":{"x":1,"x":1}}}]', [0, "x", "x", "x"]],
])("%s has a repeated name", (text, path) => {
  expect(findRepeatedName(text)).toEqual(path);
});

test.each(['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', '{"a":"\\"a\\":1,\\"a\\":2"}', '["a","a"]', '{"":1,"a":[]}', '"a"'])(
  "%s has none",
  (text) => {
    expect(findRepeatedName(text)).toBeUndefined();
  },
);

test("finds no repeated name in any serialized value", () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }), (value) => {
    const text = JSON.stringify({ value });
    const withoutStrings = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
    expect(countFields(JSON.parse(text) as object)).toBe(withoutStrings.split(":").length - 1);
    expect(findRepeatedName(text)).toBeUndefined();
  });
  fc.assert(property, runs(500));
});
