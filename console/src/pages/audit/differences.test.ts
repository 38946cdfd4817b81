import { expect, test } from "bun:test";
import { differences } from "./differences.ts";

test("lists only changed fields, by their full path", () => {
  const before = { name: "ci", limits: { requests_per_minute: 10, tokens_per_minute: null }, models: ["*"] };
  const after = { name: "ci", limits: { requests_per_minute: 20, tokens_per_minute: null }, models: ["gpt-*", "echo"] };
  expect(differences(before, after)).toEqual([
    { field: "limits.requests_per_minute", before: "10", after: "20" },
    { field: "models", before: '["*"]', after: '["gpt-*","echo"]' },
  ]);
});

test("lists values that were set or cleared", () => {
  expect(differences({ low_credit: null }, { low_credit: "25" })).toEqual([{ field: "low_credit", before: "null", after: "25" }]);
  expect(differences({ disabled_at: "then" }, { disabled_at: null })).toEqual([{ field: "disabled_at", before: "then", after: "null" }]);
});

test("lists all values of a created or removed resource", () => {
  expect(differences(null, { name: "ci", expires_at: null })).toEqual([{ field: "name", before: undefined, after: "ci" }]);
  expect(differences({ name: "ci" }, null)).toEqual([{ field: "name", before: "ci", after: undefined }]);
});
