import { expect, test } from "bun:test";
import { toAnswerSchema } from "./anthropic-schema.ts";

test("a schema that keeps to the API's rules stays as it is", () => {
  const schema = {
    type: "object",
    properties: { list: { type: "array", minItems: 1, items: { $ref: "#/$defs/each" } } },
    required: ["list"],
    additionalProperties: false,
    $defs: { each: { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] } },
  };
  expect(toAnswerSchema(schema)).toEqual(schema);
});

test("objects that do not say so are closed, however deep", () => {
  const open = { type: "object", properties: { inner: { type: "array", items: { type: "object", properties: {} } } } };
  expect(toAnswerSchema({ anyOf: [open] })).toEqual({
    anyOf: [
      {
        type: "object",
        properties: { inner: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } } },
        additionalProperties: false,
      },
    ],
  });
});

test("bounds that the API refuses are told in words", () => {
  const schema = {
    type: "object",
    additionalProperties: false,
    properties: {
      age: { type: "integer", description: "In years.", minimum: 0, maximum: 150 },
      name: { type: "string", minLength: 1 },
      minimum: { type: "number" },
    },
  };
  expect(toAnswerSchema(schema)["properties"]).toEqual({
    age: { type: "integer", description: "In years. (minimum: 0, maximum: 150)" },
    name: { type: "string", description: "minLength: 1" },
    minimum: { type: "number" },
  });
});
