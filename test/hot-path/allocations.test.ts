/**
 * The cost of a request without a clock: its allocations, which are the same on any machine, to within 2 % in every run. CPU time follows
 * them, since memory is also filled, and collected.
 */
import { beforeAll, expect, test } from "bun:test";
import { measureAllocations, type Allocated, type Allocations } from "./measure-allocations.ts";

/** The most that may be allocated. */
interface Ceiling {
  readonly bytes: number;
  /** Objects by kind. Other kinds may have `A_FEW`. */
  readonly objects: Readonly<Record<string, number>>;
}

/** The objects of timers per request. One object in every request is more. */
const A_FEW = 0.7;

/**
 * The values beside the ceilings were measured on 2026-11-18, with Bun 1.4.4. The margin above them is for timers: on a busy machine a
 * request takes longer, and more of them run during it.
 */
const CEILINGS: Readonly<Record<keyof Allocations, Ceiling>> = {
  ofRequest: {
    bytes: 22_900, // 22,088
    objects: {
      string: 105, // 102.5
      Object: 104.6, // 102.1
      JSLexicalEnvironment: 46.5, // 44.1
      Array: 32.5, // 29.9
      Function: 26.3, // 24.3
      BigInt: 26.3, // 24.0
      Promise: 14.7, // 13.1
      AsyncFunctionGenerator: 11, // 10.0
      Uint8Array: 5.7, // 5.0
      "Cell Butterfly": 4, // 3.1
      Immediate: 1.8, // 1.1
      Date: 1.7, // 1.0
      Map: 1.7, // 1.0
    },
  },
  ofChunk: {
    bytes: 1280, // 1,213
    objects: {
      string: 10.7, // 10.0
      Array: 3.7, // 3.0
      Uint8Array: 2.7, // 2.0
      Object: 1.8, // 1.1
    },
  },
};

const WHAT_TO_DO = "Find the object, closure, promise or copy that was added to the hot path. If it is worth its price, raise the ceiling.";

let measured: Allocations;

/** On a machine that stalls more timers run during a request. They vary; the allocations of the request itself are in every measurement. */
const MEASUREMENTS = 5;

beforeAll(async () => {
  for (let count = 0; count < MEASUREMENTS; count++) {
    measured = await measureAllocations();
    if (above(CEILINGS.ofRequest, measured.ofRequest).length + above(CEILINGS.ofChunk, measured.ofChunk).length === 0) return;
  }
}, 300_000);

test("a small request allocates no more than its ceiling", () => {
  expect(above(CEILINGS.ofRequest, measured.ofRequest), WHAT_TO_DO).toEqual([]);
});

test("a chunk of a stream allocates no more than its ceiling", () => {
  expect(above(CEILINGS.ofChunk, measured.ofChunk), WHAT_TO_DO).toEqual([]);
});

test("a ceiling is close to the measured allocations", () => {
  for (const each of ["ofRequest", "ofChunk"] as const) expect(measured[each].bytes).toBeGreaterThan(CEILINGS[each].bytes * 0.9);
});

/** The allocations above the ceiling, as text. */
function above(ceiling: Ceiling, { bytes, objects }: Allocated): string[] {
  const tooMany = [...objects]
    .filter(([kind, count]) => count > (ceiling.objects[kind] ?? A_FEW))
    .map(([kind, count]) => `${kind}: ${count.toFixed(1)}, and may be ${ceiling.objects[kind] ?? A_FEW}`);
  return bytes > ceiling.bytes ? [`${Math.round(bytes)} bytes, and may be ${ceiling.bytes}`, ...tooMany] : tooMany;
}
