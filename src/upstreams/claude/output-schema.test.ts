import { expect, test } from "bun:test";
import { toOutputSchema } from "./output-schema.ts";

test("does not change a schema that the API accepts", () => {
  const schema = {
    type: "object",
    properties: { list: { type: "array", minItems: 1, items: { $ref: "#/$defs/each" } } },
    required: ["list"],
    additionalProperties: false,
    $defs: { each: { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] } },
  };
  expect(toOutputSchema(schema)).toEqual(schema);
});

test("adds additionalProperties: false to objects at every depth", () => {
  const open = { type: "object", properties: { inner: { type: "array", items: { type: "object", properties: {} } } } };
  expect(toOutputSchema({ anyOf: [open] })).toEqual({
    anyOf: [
      {
        type: "object",
        properties: { inner: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } } },
        additionalProperties: false,
      },
    ],
  });
});

test("moves unsupported constraints into the description", () => {
  const schema = {
    type: "object",
    additionalProperties: false,
    properties: {
      age: { type: "integer", description: "In years.", minimum: 0, maximum: 150 },
      name: { type: "string", minLength: 1 },
      minimum: { type: "number" },
    },
  };
  expect(toOutputSchema(schema)["properties"]).toEqual({
    age: { type: "integer", description: "In years. (minimum: 0, maximum: 150)" },
    name: { type: "string", description: "minLength: 1" },
    minimum: { type: "number" },
  });
});
