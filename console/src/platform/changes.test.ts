import { expect, test } from "bun:test";
import { changesTo } from "./changes.ts";

const begun = { name: "ci", models: ["a", "b"], limits: { requests_per_minute: 60 }, caps: { day: null, month: "50" }, expires_at: null };

test("what was not touched is not sent", () => {
  const same = {
    ...begun,
    models: ["a", "b"],
    limits: { requests_per_minute: 60, tokens_per_minute: null },
    caps: { month: "50", total: null },
  };
  expect<object>(changesTo(begun, same)).toEqual({});
});

test("of limits and caps, only those that differ are sent", () => {
  expect<object>(changesTo(begun, { ...begun, name: "nightly", caps: { day: "5", month: "50" } })).toEqual({
    name: "nightly",
    caps: { day: "5" },
  });
  expect<object>(changesTo(begun, { models: ["a"], limits: { requests_per_minute: null } })).toEqual({
    models: ["a"],
    limits: { requests_per_minute: null },
  });
});

test("what becomes nothing is sent as null", () => {
  expect<object>(changesTo({ alerts: ["credit.low"] }, { alerts: null })).toEqual({ alerts: null });
  expect<object>(changesTo({ alerts: null }, { alerts: ["credit.low"] })).toEqual({ alerts: ["credit.low"] });
});
