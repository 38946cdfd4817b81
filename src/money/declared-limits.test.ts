import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { restoreValues, storeValues } from "../lib/schema/settings.ts";
import { capsSetting, limitsSetting } from "./declared-limits.ts";
import { NO_CAPS, NO_LIMITS, RATE_LIMITS } from "./limits.ts";

const SETTINGS = { limits: limitsSetting, caps: capsSetting };

const limit = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }));
const rates = fc.record({ amounts: fc.tuple(...RATE_LIMITS.map(() => limit)) });
const setRates = rates.filter(({ amounts }) => amounts.some((value) => value !== null));
const perTag = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), setRates, { minKeys: 1, maxKeys: 3 });
const anyLimits = fc
  .tuple(rates, fc.record({ perUser: setRates, perTag }, { requiredKeys: [] }))
  .map(([own, parts]) => ({ ...own, ...parts }));
const cap = fc.option(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }));
const spend = fc.record({ nanos: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), untilMs: fc.nat() });
const carried = fc.oneof(fc.record({ day: spend, month: spend }), fc.record({ day: spend }), fc.record({ month: spend }));
const anyCaps = fc.record(
  { dayNanos: cap, monthNanos: cap, totalNanos: cap, carried },
  { requiredKeys: ["dayNanos", "monthNanos", "totalNanos"] },
);

test("limits and caps are stored and restored, however large", () => {
  const same = fc.property(anyLimits, anyCaps, (limits, caps) => {
    expect(restoreValues(SETTINGS, storeValues(SETTINGS, { limits, caps }))).toEqual({ limits, caps });
  });
  fc.assert(same, runs(500, 40_000));
});

test("limits and caps that are not stored are not set, and a cap of zero is a cap", () => {
  expect(restoreValues(SETTINGS, "{}")).toEqual({ limits: NO_LIMITS, caps: NO_CAPS });
  const nothing = { limits: NO_LIMITS, caps: { ...NO_CAPS, dayNanos: 0n } };
  expect(restoreValues(SETTINGS, storeValues(SETTINGS, nothing))).toEqual(nothing);
});

test("limits of a newer version stay in the document", () => {
  const stored = { limits: { requests_per_minute: 1, requests_per_week: 9, per_user: { requests_per_minute: 2, requests_per_week: 8 } } };
  const values = restoreValues(SETTINGS, JSON.stringify(stored));
  expect(JSON.parse(storeValues(SETTINGS, values))).toMatchObject(stored);
});
