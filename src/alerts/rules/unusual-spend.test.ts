import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import type { HourlySpend } from "../../stores/alerts/hourly-spend-store.ts";
import { updateBaseline, newBaseline, baselineOf } from "./unusual-spend.ts";

const MONDAY = 24 * 20_000;

/** A key that spent this much in each hour from the first on; 0 is an hour without use. */
function after(spending: readonly bigint[], from = MONDAY): HourlySpend {
  let known = newBaseline(from, 100n);
  spending.forEach((nanos, at) => {
    if (nanos > 0n) known = updateBaseline(known, from + at, known.totalNanos + nanos);
  });
  return known;
}

describe("the hourly spend baseline of a key", () => {
  test("is the mean of the hours of use, without the current hour", () => {
    const used = Array.from({ length: 24 }, (_, at) => BigInt(at % 2 === 0 ? 10 : 30));
    expect(baselineOf(after([...used, 0n, 0n, 9_999n]))).toBe(20n);
  });

  test("is unknown before a day's worth of hours of use", () => {
    const used = Array.from({ length: 23 }, () => 10n);
    expect(baselineOf(after([...used, 10n]))).toBeUndefined();
    expect(baselineOf(after([...used, 10n, 10n]))).toBe(10n);
  });

  test("covers the last seven days", () => {
    const used = Array.from({ length: 24 }, () => 10n);
    const idle = Array.from({ length: 7 * 24 }, () => 0n);
    expect(baselineOf(after([...used, ...idle.slice(24), 5n]))).toBe(10n);
    expect(baselineOf(after([...used, ...idle, 5n]))).toBeUndefined();
  });

  test("counts no hour before the key was first seen, and none twice when a clock is set back", () => {
    expect(after([])).toEqual({ hour: MONDAY, nanos: 0n, totalNanos: 100n, days: [] });
    const known = after([7n, 8n]);
    expect(updateBaseline(known, MONDAY, 120n)).toEqual({ ...known, nanos: 13n, totalNanos: 120n });
  });

  test("does not stop until a clock that was ahead is correct again", () => {
    const ahead = updateBaseline(after([7n]), MONDAY + 9000, 108n);
    const back = updateBaseline(ahead, MONDAY + 5, 109n);
    expect(back).toMatchObject({ hour: MONDAY + 5, nanos: 1n });
    expect(updateBaseline(back, MONDAY + 6, 111n)).toMatchObject({ hour: MONDAY + 6, nanos: 2n });
  });
});

test("whenever it is checked, no spend is lost or counted twice, and only a week and a day are retained", () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.bigInt({ min: 0n, max: 10n ** 12n })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (checks) => {
      let known = newBaseline(MONDAY, 0n);
      let hour = MONDAY;
      const byHour = new Map<number, bigint>();
      for (const [hours, nanos] of checks) {
        hour += hours;
        known = updateBaseline(known, hour, known.totalNanos + nanos);
        byHour.set(hour, (byHour.get(hour) ?? 0n) + nanos);
      }
      const isKept = (each: number): boolean => Math.floor(each / 24) >= Math.floor(hour / 24) - 7;
      const before = [...byHour].filter(([each, nanos]) => each < hour && isKept(each) && nanos > 0n);
      const sum = known.days.reduce((total, each) => total + each.nanos, 0n);
      const hours = known.days.reduce((total, each) => total + each.hours, 0);
      expect(known.days.length).toBeLessThanOrEqual(8);
      expect([sum, hours, known.nanos]).toEqual([
        before.reduce((total, [, nanos]) => total + nanos, 0n),
        before.length,
        byHour.get(hour) ?? 0n,
      ]);
    }),
    runs(200),
  );
});
