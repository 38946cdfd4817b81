import { describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { RateWindow, type CountedAmount } from "./rate-window.ts";

const WINDOW_MS = 60_000;
const MINUTE = { windowMs: WINDOW_MS, stepMs: 1 };

/** The simplest implementation: a list of all amounts that were ever taken, scanned each time. */
class PlainWindow {
  readonly taken: { readonly atMs: number; amount: number }[] = [];

  sum(nowMs: number): number {
    return this.taken.filter(({ atMs }) => atMs > nowMs - WINDOW_MS).reduce((sum, { amount }) => sum + amount, 0);
  }

  fits(amount: number, limit: number, nowMs: number): boolean {
    return Math.min(amount, limit) <= limit - this.sum(nowMs);
  }

  /** The first moment at which the amount fits is either now, or when another amount expires. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    const moments = [nowMs, ...this.taken.map(({ atMs }) => atMs + WINDOW_MS).filter((moment) => moment > nowMs)];
    return moments.toSorted((a, b) => a - b).find((moment) => this.fits(amount, limit, moment))! - nowMs;
  }

  resetMs(nowMs: number): number {
    const counting = this.taken.filter(({ atMs, amount }) => amount > 0 && atMs > nowMs - WINDOW_MS);
    return Math.max(0, ...counting.map(({ atMs }) => atMs + WINDOW_MS - nowMs));
  }
}

type Step =
  | { readonly passMs: number; readonly amount: number }
  | { readonly passMs: number; readonly correct: number; readonly to: number };

const passMs = fc.oneof(fc.nat(3), fc.nat(5000), fc.constantFrom(WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1, 5 * WINDOW_MS));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ passMs, amount: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ passMs, correct: fc.nat(20), to: fc.nat(15) }) },
);
const anySteps = fc.array(anyStep, { maxLength: 100, size: "max" });

/** Takes each amount that fits, as a limit does. If a step has no limit, takes any amount. */
function play(
  steps: readonly Step[],
  limit: number,
  isEnforced: boolean,
  check: (real: RateWindow, plain: PlainWindow, nowMs: number) => void,
): void {
  const [real, plain] = [new RateWindow(MINUTE), new PlainWindow()];
  const handles: CountedAmount[] = [];
  let nowMs = 1_000_000;
  for (const step of steps) {
    nowMs += step.passMs;
    if ("amount" in step) {
      expect(real.waitMs(step.amount, limit, nowMs) === 0).toBe(plain.fits(step.amount, limit, nowMs));
      if (!isEnforced || plain.fits(step.amount, limit, nowMs)) {
        handles.push(real.take(step.amount, nowMs));
        plain.taken.push({ atMs: nowMs, amount: step.amount });
      }
    } else {
      // An amount that was corrected to 0 is not corrected again, because its request is over.
      const at = step.correct % (handles.length || 1);
      if (handles[at] && plain.taken[at]!.amount > 0) {
        real.correct(handles[at], step.to);
        plain.taken[at]!.amount = step.to;
      }
    }
    check(real, plain, nowMs);
  }
}

describe("a window of the last minute", () => {
  test("has the same room, wait and reset as a plain list of all amounts", () => {
    const same = fc.property(anySteps, fc.integer({ min: 1, max: 30 }), fc.boolean(), fc.nat(40), (steps, limit, isEnforced, wanted) => {
      play(steps, limit, isEnforced, (real, plain, nowMs) => {
        expect(real.room(limit, nowMs)).toBe(limit - plain.sum(nowMs));
        expect(real.resetMs(nowMs)).toBe(plain.resetMs(nowMs));
        const waitMs = real.waitMs(wanted, limit, nowMs);
        expect(waitMs).toBe(plain.waitMs(wanted, limit, nowMs));
        expect(plain.fits(wanted, limit, nowMs + waitMs)).toBe(true);
        if (waitMs > 0) expect(plain.fits(wanted, limit, nowMs + waitMs - 1)).toBe(false);
      });
    });
    fc.assert(same, runs(1000));
  });

  test("admits at most its limit in any 60 seconds, and that much whenever there is room", () => {
    const anyGaps = fc.array(fc.oneof(fc.nat(2000), fc.nat(30_000)), { minLength: 30, maxLength: 120, size: "max" });
    const safe = fc.property(anyGaps, fc.integer({ min: 1, max: 20 }), (gaps, limit) => {
      const window = new RateWindow(MINUTE);
      const admitted: number[] = [];
      let nowMs = 0;
      for (const gap of gaps) {
        nowMs += gap;
        const isFull = admitted.filter((atMs) => atMs > nowMs - WINDOW_MS).length >= limit;
        expect(window.waitMs(1, limit, nowMs) > 0).toBe(isFull);
        if (isFull) continue;
        window.take(1, nowMs);
        admitted.push(nowMs);
      }
      admitted.slice(limit).forEach((atMs, at) => expect(atMs - admitted[at]!).toBeGreaterThanOrEqual(WINDOW_MS));
    });
    fc.assert(safe, runs(1000));
  });

  test("stays ordered when time goes back: admits at most the limit, and a wait is long enough", () => {
    const anyJumps = fc.array(fc.integer({ min: -40_000, max: 40_000 }), { minLength: 10, maxLength: 80, size: "max" });
    const inOrder = fc.property(anyJumps, fc.integer({ min: 1, max: 5 }), (jumps, limit) => {
      const window = new RateWindow(MINUTE);
      const moments: number[] = [];
      let nowMs = 10_000_000;
      for (const jump of jumps) {
        nowMs += jump;
        const waitMs = window.waitMs(1, limit, nowMs);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(window.room(limit, nowMs)).toBeGreaterThanOrEqual(0);
        if (waitMs > 0) {
          expect(window.waitMs(1, limit, nowMs)).toBe(waitMs);
          continue;
        }
        window.take(1, nowMs);
        moments.push(nowMs + window.resetMs(nowMs) - WINDOW_MS);
      }
      moments.slice(1).forEach((atMs, at) => expect(atMs).toBeGreaterThanOrEqual(moments[at]!));
      moments.slice(limit).forEach((atMs, at) => expect(atMs - moments[at]!).toBeGreaterThanOrEqual(WINDOW_MS));
      nowMs += window.waitMs(1, limit, nowMs);
      expect(window.waitMs(1, limit, nowMs)).toBe(0);
    });
    fc.assert(inOrder, runs(1000));
  });

  test("an undone amount leaves no trace", () => {
    const same = fc.property(anySteps, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 9 }), (steps, limit, amount) => {
      play(steps, limit, true, (real, plain, nowMs) => {
        real.correct(real.take(amount, nowMs), 0);
        expect([real.room(limit, nowMs), real.resetMs(nowMs)]).toEqual([limit - plain.sum(nowMs), plain.resetMs(nowMs)]);
      });
    });
    fc.assert(same, runs(300));
  });

  test("a correction of an expired amount changes nothing", () => {
    const window = new RateWindow(MINUTE);
    const taken = window.take(5, 0);
    expect(window.room(10, WINDOW_MS)).toBe(10);
    window.correct(taken, 9);
    expect([window.room(10, WINDOW_MS), window.resetMs(WINDOW_MS)]).toEqual([10, 0]);
  });

  test("an amount above the limit fits into an empty window only", () => {
    const window = new RateWindow(MINUTE);
    expect(window.waitMs(50, 10, 0)).toBe(0);
    window.take(1, 0);
    expect(window.waitMs(50, 10, 1)).toBe(WINDOW_MS - 1);
  });

  test("a correction of an expired amount does not affect later ones, also where time went back", () => {
    const window = new RateWindow(MINUTE);
    const taken = window.take(5, WINDOW_MS);
    expect(window.room(10, 2 * WINDOW_MS)).toBe(10);
    window.take(1, WINDOW_MS);
    window.correct(taken, 9);
    expect(window.room(10, WINDOW_MS)).toBe(9);
  });

  test("frees expired moments, also where room() is never called", () => {
    const window = new RateWindow(MINUTE);
    const before = heapBytes();
    for (let at = 0; at < 200_000; at++) window.take(1, at * 1000);
    // Sixty amounts count. Keeping all of them would take nearly five million bytes.
    expect(heapBytes() - before).toBeLessThan(500_000);
    expect(window.room(100, 199_999_000)).toBe(40);
  });

  test("allocates no objects for the garbage collector, however busy a minute is", () => {
    const window = new RateWindow(MINUTE);
    Bun.gc(true);
    const before = heapStats().objectCount;
    for (let atMs = 0; atMs < WINDOW_MS; atMs++) window.take(1, atMs);
    Bun.gc(true);
    expect(heapStats().objectCount - before).toBeLessThan(1000);
    expect(window.room(0, WINDOW_MS - 1)).toBe(-WINDOW_MS);
  });
});

test("a window with a step admits at most its limit, counts an amount up to a step longer, and has a moment for each step", () => {
  const anyGaps = fc.array(fc.oneof(fc.nat(300), fc.nat(30_000)), { minLength: 30, maxLength: 120, size: "max" });
  const safe = fc.property(anyGaps, fc.integer({ min: 1, max: 20 }), (gaps, limit) => {
    const window = new RateWindow({ windowMs: WINDOW_MS, stepMs: 1000 });
    const admitted: number[] = [];
    let nowMs = 0;
    for (const gap of gaps) {
      nowMs += gap;
      const within = (ms: number): number => admitted.filter((atMs) => atMs > nowMs - ms).length;
      const isFull = window.waitMs(1, limit, nowMs) > 0;
      if (within(WINDOW_MS) >= limit) expect(isFull).toBe(true);
      if (within(WINDOW_MS + 1000) < limit) expect(isFull).toBe(false);
      if (isFull) continue;
      const taken = window.take(1, nowMs);
      admitted.push(nowMs);
      if (gap % 2 === 0) continue;
      window.correct(taken, 0);
      admitted.pop();
    }
    expect(window.save(nowMs, Infinity).length / 3).toBeLessThanOrEqual(61);
  });
  fc.assert(safe, runs(1000));
});

test("a huge estimate that is corrected leaves the sum exact", () => {
  const window = new RateWindow(MINUTE);
  const huge = window.take(Number.MAX_SAFE_INTEGER * 128, 0);
  expect(window.room(100, 0)).toBeLessThan(0);
  window.correct(huge, 60);
  expect(window.room(100, 0)).toBe(40);
  expect(window.room(100, WINDOW_MS)).toBe(100);
});

function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}
