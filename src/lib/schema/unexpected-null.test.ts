import { expect, test } from "bun:test";
import type { Schema } from "./schema.ts";
import { findUnexpectedNull } from "./unexpected-null.ts";

const schema = {
  type: "object",
  additionalProperties: { oneOf: [{ type: "string" }, { type: "object", properties: { rename: { type: "string" } } }] },
  properties: {
    name: { type: "string" },
    cap: { type: "string", nullable: true },
    either: { oneOf: [{ type: "number" }, { type: "string", nullable: true }] },
    limits: { type: "object", properties: { day: { type: "string", nullable: true }, month: { type: "string" } } },
    list: { type: "array", items: { type: "string" } },
  },
} as const satisfies Schema;

test.each<[unknown, ReturnType<typeof findUnexpectedNull>]>([
  [{ name: "a", cap: null, either: null, limits: { day: null } }, undefined],
  [null, []],
  [{ name: null }, ["name"]],
  [{ limits: null }, ["limits"]],
  [{ limits: { day: null, month: null } }, ["limits", "month"]],
  [{ list: ["a", null] }, ["list", 1]],
  [{ other: null }, ["other"]],
  [{ other: { rename: null } }, ["other", "rename"]],
  [{ name: { nobody: { describes: null } }, list: "no list" }, undefined],
  [{ constructor: null, __proto__: null }, ["constructor"]],
])("%j", (value, path) => expect(findUnexpectedNull(schema, value)).toEqual(path));

test("a value that nests deeper than its schema is not followed", () => {
  const deep: unknown = JSON.parse(`{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(findUnexpectedNull(schema, deep)).toBeUndefined();
});
