import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { fromByteText, toByteText, type ByteText } from "../text/byte-text.ts";
import { outlineOf, topLevelFields, withField, withFields, withNames, type JsonField, countFields, findRepeatedName } from "./json-text.ts";

const fieldsOf = (text: string): JsonField[] => topLevelFields(toByteText(text));

/** The text of a field's value. */
const valueIn = (bytes: ByteText, { valueStart, valueEnd }: JsonField): string =>
  fromByteText(bytes.slice(valueStart, valueEnd) as ByteText);

/** Any JSON object, written with any white space between its tokens and any escapes in its keys. */
const objectText = fc
  .tuple(
    fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" })),
    fc.constantFrom(undefined, 1, 2, "\t"),
    fc.boolean(),
  )
  .map(([value, indent, escape]) => (escape ? escapeKeys(JSON.stringify(value, null, indent)) : JSON.stringify(value, null, indent)));

/** Spells the first letter of every string as an escape. */
function escapeKeys(text: string): string {
  return text.replaceAll(/"([a-zA-Z])/g, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`);
}

describe("topLevelFields", () => {
  test("finds what JSON.parse finds, in any spelling", () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const bytes = toByteText(text);
        const found = topLevelFields(bytes).map((field) => [field.key, JSON.parse(valueIn(bytes, field))]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(text));
      }),
      runs(600, 40_000),
    );
  });

  test("returns every occurrence of repeated keys", () => {
    expect(fieldsOf('{"a":1,"b":{"a":2},"\\u0061":3}').map((field) => field.key)).toEqual(["a", "b", "a"]);
  });

  test("terminates on any text, valid or not", () => {
    const letters = fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", " ", "a", "1", "u", "0");
    const text = fc.oneof(
      fc.string({ unit: letters }),
      fc.string({ unit: letters }).map((rest) => `{"a":${rest}`),
    );
    fc.assert(
      fc.property(text, (given) => expect(fieldsOf(given)).toBeArray()),
      runs(3000, 200_000),
    );
  });

  test("returns nothing for text nested beyond the limit, and all fields otherwise", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 })), fc.integer({ min: 1, max: 10 }), (value, maxDepth) => {
        expect(outlineOf(toByteText(JSON.stringify(value)), { maxDepth, maxValues: 1e9 }) === "maxDepth").toBe(depthOf(value) > maxDepth);
      }),
      runs(500, 20_000),
    );
  });

  test("stops at the depth limit: ten million brackets cost nothing", () => {
    expect(outlineOf(toByteText(`{"a":${"[".repeat(10_000_000)}`), { maxDepth: 64, maxValues: 1e9 })).toBe("maxDepth");
  });
});

test("counts values at any position", () => {
  const limits = { maxDepth: 64, maxValues: 3 };
  for (const text of ['{"a":[1,2,3,4,5]}', '{"a":1,"b":2,"c":3,"d":4,"e":5}', '{"a":{"b":[1,2],"c":[{},{},{}]}}']) {
    expect(outlineOf(toByteText(text), limits)).toBe("maxValues");
  }
  expect(outlineOf(toByteText('{"a":[1,2],"b":",,,,,,","c":3}'), limits)).toBeObject();
});

describe("withFields and withField", () => {
  test("changes the named fields, adds the absent ones, and nothing else", () => {
    fc.assert(
      fc.property(objectText, fc.jsonValue(), (text, value) => {
        const json = JSON.stringify(value);
        const bytes = withFields(toByteText(text), fieldsOf(text), { model: toByteText(json) });
        expect(Buffer.from(bytes.join(""), "latin1").equals(Buffer.from(withField(text, "model", json)))).toBe(true);
        expect(JSON.parse(withField(text, "model", json))).toEqual({ ...JSON.parse(text), model: JSON.parse(JSON.stringify(value)) });
      }),
      runs(600, 40_000),
    );
  });

  test("leaves every other byte as it was", () => {
    const text = ' { "model" : "a" ,\n "n":1.0, "big":12345678901234567890, "e":1e400, "s":"\\ud800\\/" } ';
    expect(withField(text, "model", '"b"')).toBe(text.replace('"a"', '"b"'));
  });

  test("is not fooled by the name inside a string or a nested object", () => {
    const text = '{"messages":[{"content":"\\"model\\":\\"x\\"","model":"y"}],"model":"z"}';
    expect(withField(text, "model", '"new"')).toBe(text.replace('"z"', '"new"'));
  });

  test("fills an empty object", () => {
    const [a, b] = [toByteText("1"), toByteText("2")];
    expect(withFields(toByteText("{}"), [], { a, b }).join("")).toBe('{"a":1,"b":2}');
  });
});

const renamed = (text: string, names: Record<string, string | undefined>): string =>
  fromByteText(withNames(toByteText(text), fieldsOf(text), names));

describe("withNames", () => {
  /** Any object, with a new name, or none, for some of its fields. */
  const renaming = objectText.chain((text) => {
    const keys = Object.keys(JSON.parse(text) as object);
    const name = fc.option(fc.string({ unit: "grapheme" }), { nil: undefined });
    return fc.tuple(fc.constant(text), fc.subarray(keys), fc.array(name, { minLength: keys.length, maxLength: keys.length }));
  });

  test("drops and renames the named fields, and keeps the text of all others", () => {
    fc.assert(
      fc.property(renaming, ([text, some, others]) => {
        const names = Object.fromEntries(some.map((key, at) => [key, others[at]]));
        const before = toByteText(text);
        const wanted = topLevelFields(before).flatMap((field) => {
          const name = Object.hasOwn(names, field.key) ? names[field.key] : field.key;
          return name === undefined ? [] : [[name, valueIn(before, field)]];
        });
        const after = toByteText(renamed(text, names));
        expect(() => JSON.parse(fromByteText(after)) as unknown).not.toThrow();
        expect(topLevelFields(after).map((field) => [field.key, valueIn(after, field)])).toEqual(wanted);
      }),
      runs(600, 40_000),
    );
  });

  test("changes nothing where nothing is named", () => {
    fc.assert(fc.property(objectText, (text) => expect(renamed(text, { "": "" })).toBe(text)));
  });

  test("removes the comma too, wherever the field is", () => {
    const text = '{ "a" : 1 , "b":2,\n"c":3 }';
    expect(renamed(text, { a: undefined })).toBe('{ "b":2,\n"c":3 }');
    expect(renamed(text, { b: undefined })).toBe('{ "a" : 1,\n"c":3 }');
    expect(renamed(text, { c: undefined, a: "z" })).toBe('{ "z" : 1 , "b":2 }');
    expect(renamed(text, { a: undefined, b: undefined, c: undefined })).toBe("{ }");
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

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
