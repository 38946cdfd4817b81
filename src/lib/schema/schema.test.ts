import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { findViolation, formatPath, type Schema, variantOf } from "./schema.ts";
import { cpuMsOf } from "../../../test/support/cpu-time.ts";

const person = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 5 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    tags: { type: "array", maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
    note: { oneOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] },
    code: { type: "string", pattern: "^\\d+$", patternInWords: "digits" },
    home: { type: "object", form: "{ town: Ulm }", additionalProperties: false, properties: { town: { type: "string" } } },
    count: { type: "integer" },
    steps: { type: "integer", minimum: 1 },
    share: { type: "number", maximum: 1 },
    price: { oneOf: [{ type: "number", minimum: 0 }, { type: "string" }] },
    pet: {
      oneOf: [
        { type: "string", enum: ["cat"] },
        { type: "object", form: "{ other: dog }", properties: {} },
      ],
    },
  },
} as const satisfies Schema;

describe("findViolation", () => {
  const cases: [unknown, string | undefined, string?][] = [
    [{ name: "Ann" }, undefined],
    [{ name: "Ann", age: 0, tags: ["a", "b"], note: "x", code: "1" }, undefined],
    [{ name: "Ann", age: null, note: null }, undefined],
    [{ name: "Ann", note: [1, 2.5] }, undefined],
    [{}, "name", "is required"],
    [{ name: null }, "name", "must be a string, not null"],
    [{ name: "" }, "name", "must not be empty"],
    [{ name: "Annabel" }, "name", "must have at most 5 characters"],
    [{ name: 1 }, "name", "must be a string, not 1"],
    [{ name: "Ann", age: -1 }, "age", "must be between 0 and 150, not -1"],
    [{ name: "Ann", age: 1.5 }, "age", "must be an integer, not 1.5"],
    [{ name: "Ann", age: Number.POSITIVE_INFINITY }, "age", "must be between 0 and 150"],
    [{ name: "Ann", age: 2 ** 53 }, "age", "must be between 0 and 150"],
    [{ name: "Ann", age: -(2 ** 60) }, "age", "must be between 0 and 150"],
    [{ name: "Ann", count: 9577354647427634 }, "count", "must be at most 9007199254740991"],
    [{ name: "Ann", count: -9577354647427634 }, "count", "must be at least -9007199254740991"],
    [{ name: "Ann", steps: 1e300 }, "steps", "must be between 1 and 9007199254740991"],
    [{ name: "Ann", steps: -1e300 }, "steps", "must be at least 1"],
    [{ name: "Ann", share: Number.POSITIVE_INFINITY }, "share", "must be at most 1"],
    [{ name: "Ann", share: Number.NaN }, "share", "must be a number, not NaN"],
    [{ name: "Ann", price: Number.POSITIVE_INFINITY }, "price", "must be between 0 and 1.7976931348623157e+308"],
    [{ name: "Ann", age: "7" }, "age", 'must be an integer, not "7"'],
    [{ name: "Ann", tags: ["a", "c"] }, "tags[1]", 'must be one of a, b, not "c"'],
    [{ name: "Ann", tags: ["a", "a", "a"] }, "tags", "must have at most 2 items, and has 3"],
    [{ name: "Ann", tags: {} }, "tags", "must be an array, not an object"],
    [{ name: "Ann", note: 1 }, "note", "must be a string or an array, not 1"],
    [{ name: "Ann", note: [1, "x"] }, "note[1]", 'must be a number, not "x"'],
    [{ name: "Ann", code: "x" }, "code", 'must be digits, not "x"'],
    [{ name: "Ann", other: 1 }, "other", "is not a known field"],
    [{ name: "Ann", tag: [] }, "tag", "is not a known field: the nearest is tags"],
    [{ name: "Ann", home: { city: "Ulm" } }, "home.city", "is not a known field: there is town"],
    [{ name: "Ann", home: "Ulm" }, "home", 'must be an object such as { town: Ulm }, not "Ulm"'],
    [{ name: "Ann", pet: "dog" }, "pet", 'must be one of cat or { other: dog }, not "dog"'],
    [{ name: "Ann", pet: 1 }, "pet", "must be a string or an object such as { other: dog }, not 1"],
    [[], "", "must be an object, not an array"],
    [null, "", "must be an object, not null"],
  ];
  for (const [value, path, message] of cases) {
    test(JSON.stringify(value) ?? "undefined", () => {
      const violation = findViolation(person, value);
      expect(violation && formatPath(violation.path)).toBe(path);
      if (message !== undefined) expect(violation?.message).toBe(message);
    });
  }

  test("names of Object.prototype are ordinary fields", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const violation = findViolation(person, JSON.parse(`{"name":"Ann","${name}":1}`));
      expect(violation).toMatchObject({ problem: "unknown", path: [name] });
    }
    const open: Schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    expect(findViolation(open, JSON.parse('{"__proto__":{"name":"Ann"}}'))).toMatchObject({ problem: "missing", path: ["name"] });
  });

  test("does not compare a very long name with the known ones, which would block the event loop", () => {
    const long = { name: "Ann", ["x".repeat(20_000_000)]: 1 };
    expect(findViolation(person, long)?.message).toBe("is not a known field");
    expect(cpuMsOf(() => void findViolation(person, long))).toBeLessThan(2_000);
  }, 300_000);

  test("no value makes it throw", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => void findViolation(person, value)),
      { numRuns: 2000 },
    );
  });
});

test("formatPath writes a path the way a caller would", () => {
  expect(formatPath(["messages", 2, "content", 0, "type"])).toBe("messages[2].content[0].type");
  expect(formatPath([])).toBe("");
});

const KNOWN = { model: 1, max_tokens: 1, stop: 1, "a.b": 1, straße: 1 };

test.each([
  ["MODEL", "model"],
  ["Max_Tokens", "max_tokens"],
  ["max_to\u212aens", "max_tokens"],
  ["max_token\u017f", "max_tokens"],
  ["\u017fTOP", "stop"],
  ["A.B", "a.b"],
  ["STRA\u1E9EE", "straße"],
])("%s is a variant of %s", (name, known) => {
  expect(variantOf(name, KNOWN)).toBe(known);
});

test.each(["model", "modell", "max_tokens ", "maxtokens", "axb", "mode\u0131", "STRASSE", "constructor", "__proto__", ""])(
  "%p is not a variant",
  (name) => {
    expect(variantOf(name, KNOWN)).toBeUndefined();
  },
);

test("without known names nothing is a variant", () => {
  expect(["", "a"].map((name) => variantOf(name, {}))).toEqual([undefined, undefined]);
});
