import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { nestingDepth, topLevelFields, withFields } from "./json-text.ts";

/** Any JSON object, written with any white space between its tokens and any escapes in its keys. */
const objectText = fc
  .tuple(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), fc.constantFrom(undefined, 1, 2, "\t"), fc.boolean())
  .map(([value, indent, escape]) => (escape ? escapeKeys(JSON.stringify(value, null, indent)) : JSON.stringify(value, null, indent)));

/** Spells the first letter of every string as an escape. */
function escapeKeys(text: string): string {
  return text.replaceAll(/"([a-zA-Z])/g, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`);
}

describe("topLevelFields", () => {
  test("finds what JSON.parse finds, in any spelling", () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const found = topLevelFields(text).map((field) => [field.key, JSON.parse(text.slice(field.valueStart, field.valueEnd))]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("gives repeated keys each time", () => {
    expect(topLevelFields('{"a":1,"b":{"a":2},"\\u0061":3}').map((field) => field.key)).toEqual(["a", "b", "a"]);
  });

  test("ends on any text, valid or not", () => {
    const letters = fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", " ", "a", "1", "u", "0");
    fc.assert(fc.property(fc.string({ unit: letters }), topLevelFieldsOrThrow), { numRuns: 5000 });
  });
});

/** On text that is not JSON the result means nothing, and a bad key escape may throw; what matters is that it ends. */
function topLevelFieldsOrThrow(text: string): void {
  try {
    topLevelFields(text);
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
  }
}

describe("withFields", () => {
  test("changes the named fields, adds the absent ones, and nothing else", () => {
    fc.assert(
      fc.property(objectText, fc.jsonValue(), (text, value) => {
        const changed = withFields(text, { model: JSON.stringify(value) });
        expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), model: JSON.parse(JSON.stringify(value)) });
      }),
      { numRuns: 2000 },
    );
  });

  test("leaves every other byte as it was", () => {
    const text = ' { "model" : "a" ,\n "n":1.0, "big":12345678901234567890, "e":1e400, "s":"\\ud800\\/" } ';
    expect(withFields(text, { model: '"b"' })).toBe(text.replace('"a"', '"b"'));
  });

  test("is not fooled by the name inside a string or a nested object", () => {
    const text = '{"messages":[{"content":"\\"model\\":\\"x\\"","model":"y"}],"model":"z"}';
    expect(withFields(text, { model: '"new"' })).toBe(text.replace('"z"', '"new"'));
  });

  test("fills an empty object", () => {
    expect(withFields("{}", { a: "1", b: "2" })).toBe('{"a":1,"b":2}');
  });
});

describe("nestingDepth", () => {
  test("agrees with a walk over the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => expect(nestingDepth(JSON.stringify(value), 1000)).toBe(depthOf(value))),
      { numRuns: 1000 },
    );
  });

  test("stops at the limit: a million brackets are not counted", () => {
    expect(nestingDepth("[".repeat(1_000_000), 64)).toBe(65);
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
