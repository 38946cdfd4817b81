import { expect, test } from "bun:test";
import { byName, NO_LIMITS, RATE_LIMITS, SPEND_CAPS, viewRates } from "../../../src/money/limits.ts";
import {
  isNarrower,
  formatLimits,
  formatModels,
  readCaps,
  readLimits,
  readTagParts,
  type AccessPolicy,
  type Caps,
  type Limits,
} from "./access-policy.ts";

const limits = (given: Partial<Limits>): Limits => ({
  ...viewRates(NO_LIMITS),
  ...given,
});
const caps = (given: Partial<Caps>): Caps => ({ day: null, month: null, total: null, ...given });

const before: AccessPolicy = { models: ["gpt-*", "claude-5"], limits: limits({ requests_per_minute: 60 }), caps: caps({ month: "50" }) };

test("reads an empty field as no limit", () => {
  expect(readLimits({ ...byName(RATE_LIMITS, () => ""), requests_per_minute: "60", tokens_per_minute: " " })).toEqual({
    ...viewRates(NO_LIMITS),
    requests_per_minute: 60,
  });
  expect(readCaps(SPEND_CAPS, { day: "", month: "12.50", total: " " })).toEqual({ day: null, month: "12.50", total: null });
});

test("reads the parts of tags, and null for those that are not set any more", () => {
  expect(readTagParts([], null)).toBeNull();
  expect(readTagParts([["team", null]], undefined)).toBeNull();
  expect(readTagParts([["team", { day: "5" }]], null)).toEqual({ team: { day: "5" } });
  const stored = { team: { day: "5" }, env: { day: "1" } };
  expect(readTagParts([["env", null]], stored)).toEqual({ team: null, env: null });
  expect(readTagParts([["squad", { day: "5" }]], stored)).toEqual({ team: null, env: null, squad: { day: "5" } });
});

test.each([
  ["a model is removed from the list", { models: ["gpt-*"] }],
  ["a prefix gets longer", { models: ["gpt-5-*", "claude-5"] }],
  ["a limit is lowered", { limits: limits({ requests_per_minute: 59 }) }],
  ["a limit is added", { limits: limits({ requests_per_minute: 60, concurrent_requests: 1000 }) }],
  ["a cap is lowered", { caps: caps({ month: "9" }) }],
  ["a cap is added", { caps: caps({ month: "50", total: "1000000" }) }],
])("a policy is narrower when %s", (_, change) => expect(isNarrower(before, { ...before, ...change })).toBe(true));

test.each([
  ["nothing changes", {}],
  ["every model is allowed", { models: ["*"] }],
  ["a prefix gets shorter", { models: ["g*", "claude-*"] }],
  ["a limit is raised or removed", { limits: limits({}) }],
  ["a cap is raised", { caps: caps({ month: "50.01" }) }],
])("a policy is not narrower when %s", (_, change) => expect(isNarrower(before, { ...before, ...change })).toBe(false));

test("formats model lists and limits briefly", () => {
  expect(formatModels(["gpt-*", "*"])).toBe("All models");
  expect(formatModels(["a", "b"])).toBe("a, b");
  expect(formatModels(["a", "b", "c"])).toBe("a and 2 more");
  expect(formatLimits(limits({ requests_per_minute: 6000, concurrent_requests: 2 }))).toBe("6,000 requests/min, 2 concurrent");
});
