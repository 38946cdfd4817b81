import { expect, test } from "bun:test";
import { findViolations } from "./find-violations.ts";
import { formatPath, type Schema } from "./schema.ts";

const item = {
  type: "object",
  additionalProperties: false,
  required: ["id", "size"],
  properties: { id: { type: "string", minLength: 2 }, size: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
} as const satisfies Schema;
const schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    items: { type: "array", items: item },
    more: { oneOf: [{ type: "string" }, item] },
    named: { type: "object", additionalProperties: { type: "integer" } },
  },
} as const satisfies Schema;

const pathsIn = (value: unknown): string[] => findViolations(schema, value).map(({ path, problem }) => `${formatPath(path)} ${problem}`);

test("finds every violation", () => {
  const items = [
    { id: "a", size: "b", tags: [1, "x", 2] },
    { id: "ok", size: 1 },
    { idd: "ab", sise: 1 },
  ];
  expect(pathsIn({ items, more: { id: "ok", size: 1, other: 1 }, named: { a: 1, b: "2" }, none: 1 })).toEqual([
    "none unknown",
    "items[0].id invalid",
    "items[0].size invalid",
    "items[0].tags[0] invalid",
    "items[0].tags[2] invalid",
    "items[2].idd unknown",
    "items[2].sise unknown",
    "items[2].id missing",
    "items[2].size missing",
    "more.other unknown",
    "named.b invalid",
  ]);
});

test("finds none in a valid value, and one where the type is wrong", () => {
  expect(pathsIn({ items: [{ id: "ok", size: 1 }], more: "x" })).toEqual([]);
  expect(pathsIn({ items: {}, more: 1 })).toEqual(["items invalid", "more invalid"]);
  expect(pathsIn([])).toEqual([" invalid"]);
});
