import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { NO_CAPS, NO_LIMITS, readCaps, readLimits, writeCaps, writeLimits } from "./limits.ts";

const limit = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }));
const anyLimits = fc.record({ requestsPerMinute: limit, tokensPerMinute: limit, concurrentRequests: limit });
const cap = fc.option(fc.bigInt({ min: 0n, max: 10n ** 18n }));
const spend = fc.record({ nanos: fc.bigInt({ min: 0n, max: 10n ** 18n }), untilMs: fc.nat() });
const carried = fc.record({ day: spend, month: spend }, { requiredKeys: [] });
const anyCaps = fc.record(
  { dayNanos: cap, monthNanos: cap, totalNanos: cap, carried },
  { requiredKeys: ["dayNanos", "monthNanos", "totalNanos"] },
);

test("limits and caps round-trip, however large", () => {
  const same = fc.property(anyLimits, anyCaps, (limits, caps) => {
    expect(readLimits(writeLimits(limits))).toEqual(limits);
    expect(readCaps(writeCaps(caps))).toEqual(caps);
  });
  fc.assert(same, runs(500, 40_000));
});

test("unset limits are omitted, and omitted limits are unset", () => {
  expect([writeLimits(NO_LIMITS), writeCaps(NO_CAPS)]).toEqual(["{}", "{}"]);
  expect([readLimits("{}"), readCaps("{}")]).toEqual([NO_LIMITS, NO_CAPS]);
});

test("a cap of zero is a cap", () => {
  const nothing = { ...NO_CAPS, dayNanos: 0n };
  expect(readCaps(writeCaps(nothing))).toEqual(nothing);
});
