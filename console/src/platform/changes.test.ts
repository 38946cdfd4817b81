import { expect, test } from "bun:test";
import { changesTo } from "./changes.ts";

const initial = { name: "ci", models: ["a", "b"], limits: { requests_per_minute: 60 }, caps: { day: null, month: "50" }, expires_at: null };

test("leaves out unchanged fields", () => {
  const same = {
    ...initial,
    models: ["a", "b"],
    limits: { requests_per_minute: 60, tokens_per_minute: null },
    caps: { month: "50", total: null },
  };
  expect<object>(changesTo(initial, same)).toEqual({});
});

test("sends only the limits and spend caps that differ", () => {
  expect<object>(changesTo(initial, { ...initial, name: "nightly", caps: { day: "5", month: "50" } })).toEqual({
    name: "nightly",
    caps: { day: "5" },
  });
  expect<object>(changesTo(initial, { models: ["a"], limits: { requests_per_minute: null } })).toEqual({
    models: ["a"],
    limits: { requests_per_minute: null },
  });
});

test("sends a cleared field as null", () => {
  expect<object>(changesTo({ alerts: ["credit.low"] }, { alerts: null })).toEqual({ alerts: null });
  expect<object>(changesTo({ alerts: null }, { alerts: ["credit.low"] })).toEqual({ alerts: ["credit.low"] });
});
