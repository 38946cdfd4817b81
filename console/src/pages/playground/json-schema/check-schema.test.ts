import { describe, expect, test } from "bun:test";
import { checkSchema, checkText } from "./check-schema.ts";

const problemsOf = (schema: unknown, value: unknown): string[] =>
  checkSchema(schema, value).problems.map(({ path, message }) => `${path} ${message}`);

const PERSON = {
  type: "object",
  properties: { name: { type: "string", minLength: 2 }, "first pet": { anyOf: [{ $ref: "#/$defs/pet" }, { type: "null" }] } },
  required: ["name", "first pet"],
  additionalProperties: false,
  $defs: { pet: { type: "object", properties: { legs: { type: "integer", minimum: 0 } }, required: ["legs"] } },
};

describe("a JSON Schema check", () => {
  const wrong: [string, unknown, unknown, string[]][] = [
    ["the path of a nested value", PERSON, { name: "Al", "first pet": { legs: 1.5 } }, ['$["first pet"].legs must be an integer.']],
    ["missing and additional fields", PERSON, { extra: 1, "first pet": null }, ["$.name is required.", "$.extra is not allowed."]],
    ["several types", { type: ["string", "null"] }, 1, ["$ must be a string or null."]],
    ["an enum", { enum: ["a", { b: 1, c: 2 }] }, "x", ['$ must be "a" or {"b":1,"c":2}.']],
    ["limits of numbers", { exclusiveMinimum: 0, multipleOf: 0.1 }, -0.25, ["$ must be more than 0.", "$ must be a multiple of 0.1."]],
    ["characters, not UTF-16 units", { maxLength: 1 }, "👍👍", ["$ must have at most 1 characters."]],
    ["a pattern", { pattern: "^a+$" }, "b", ["$ must match the pattern ^a+$"]],
    ["an invalid pattern", { pattern: "(" }, "b", ["$ cannot be checked: the pattern ( is invalid."]],
    ["items", { items: { type: "string" }, minItems: 3 }, ["a", 1], ["$[1] must be a string.", "$ must have at least 3 items."]],
    ["a tuple", { prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["$[1] is not allowed."]],
    [
      "equal items",
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ["$ has equal items."],
    ],
    ["alternatives", { oneOf: [{ type: "number" }, { type: "integer" }] }, 1, ["$ must match one schema of oneOf, and matches 2."]],
    ["a negation", { not: { type: "string" } }, "a", ["$ matches the schema of not."]],
    ["an unknown reference", { $ref: "#/$defs/none" }, 1, ["$ cannot be checked: #/$defs/none is not in the schema."]],
    ["a reference to itself", { $ref: "#" }, 1, ["$ cannot be checked: the schema refers to itself without end."]],
  ];
  for (const [name, schema, value, problems] of wrong) test(`reports ${name}`, () => expect(problemsOf(schema, value)).toEqual(problems));

  test("accepts values that match, also of a recursive schema", () => {
    const tree = { type: "object", properties: { of: { type: "array", items: { $ref: "#" } } } };
    expect(problemsOf(tree, { of: [{ of: [] }, {}] })).toEqual([]);
    expect(problemsOf(PERSON, { name: "Ada", "first pet": { legs: 4 } })).toEqual([]);
    expect(problemsOf({ enum: [{ b: 1, c: 2 }] }, { c: 2, b: 1 })).toEqual([]);
    expect(problemsOf({ properties: { constructor: { type: "string" } } }, {})).toEqual([]);
  });

  test("names the keywords that it does not check", () => {
    expect(checkSchema({ type: "string", format: "date", title: "Day" }, "x")).toEqual({ problems: [], unchecked: ["format"] });
  });

  test("reports text that is not JSON", () => {
    expect(checkText({}, "{").problems[0]!.message).toStartWith("is not valid JSON.");
  });
});
