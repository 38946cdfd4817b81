/**
 * What a request costs, without a clock: how much it allocates, which is the same on any machine and to within 2 % in every run.
 * Time on the processor follows it, since what is allocated is also filled, and found again by the collector.
 */
import { beforeAll, expect, test } from "bun:test";
import { measureAllocations, type Allocated, type Allocations } from "./measure-allocations.ts";

/** The most of something that may be allocated. */
interface Ceiling {
  readonly bytes: number;
  /** Objects by their kind. Of a kind that is not named here there may be `A_FEW`. */
  readonly objects: Readonly<Record<string, number>>;
}

/** What timers come to for each request. One object in every request is more. */
const A_FEW = 0.7;

/**
 * The values beside the ceilings were measured on 2026-11-15, with Bun 1.4.4. The room above them is for timers: a busy machine
 * takes longer over a request, and more of them fall into it.
 */
const CEILINGS: Readonly<Record<keyof Allocations, Ceiling>> = {
  ofRequest: {
    bytes: 29_600, // 28,530
    objects: {
      string: 119.5, // 117.1
      Object: 106, // 104.5
      JSLexicalEnvironment: 101, // 98.4
      Function: 67, // 64.5
      Array: 40.5, // 39.1
      Promise: 30.7, // 29.2
      BigInt: 26.5, // 24.3
      AsyncFunctionGenerator: 20, // 19.1
      Uint8Array: 8.7, // 7.9
      "Cell Butterfly": 5, // 4.0
      Immediate: 2.7, // 2.0
      SlimPromiseReaction: 2.7, // 2.0
      AsyncFunction: 2.7, // 2.0
      RegExp: 2.7, // 2.0
      Set: 2.7, // 2.0
      "Set Iterator": 1.7, // 1.0
      Date: 1.7, // 1.0
      Map: 1.7, // 1.0
      ArrayIterator: 1.7, // 1.0
    },
  },
  ofChunk: {
    bytes: 2900, // 2,819
    objects: {
      string: 19.7, // 19.0
      Object: 10.7, // 10.1
      Function: 5.7, // 5.0
      Array: 4.7, // 4.0
      Promise: 4.7, // 4.0
      JSLexicalEnvironment: 2.7, // 2.0
      AsyncFunctionGenerator: 2.7, // 2.0
      SlimPromiseReaction: 2.7, // 2.0
      Uint8Array: 2.7, // 2.0
    },
  },
};

const WHAT_TO_DO =
  "Look at what was added on the way of a request: an object, a closure, a promise, a copy. If it is worth its price, raise the ceiling.";

let measured: Allocations;

beforeAll(async () => {
  measured = await measureAllocations();
}, 60_000);

test("a small request allocates no more than it did", () => {
  expect(above(CEILINGS.ofRequest, measured.ofRequest), WHAT_TO_DO).toEqual([]);
});

test("a chunk of a stream allocates no more than it did", () => {
  expect(above(CEILINGS.ofChunk, measured.ofChunk), WHAT_TO_DO).toEqual([]);
});

test("a ceiling is not far above what is allocated, so that what was won is kept", () => {
  for (const each of ["ofRequest", "ofChunk"] as const) expect(measured[each].bytes).toBeGreaterThan(CEILINGS[each].bytes * 0.9);
});

/** What there is too much of, in words. */
function above(ceiling: Ceiling, { bytes, objects }: Allocated): string[] {
  const tooMany = [...objects]
    .filter(([kind, count]) => count > (ceiling.objects[kind] ?? A_FEW))
    .map(([kind, count]) => `${kind}: ${count.toFixed(1)}, and may be ${ceiling.objects[kind] ?? A_FEW}`);
  return bytes > ceiling.bytes ? [`${Math.round(bytes)} bytes, and may be ${ceiling.bytes}`, ...tooMany] : tooMany;
}
