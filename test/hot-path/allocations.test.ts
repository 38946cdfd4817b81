/**
 * What a request costs, without a clock: how much it allocates, which is the same on any machine and to within 1 % in every run.
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

/** What timers, and writing to disk now and then, come to for each request. One object in every request is more. */
const A_FEW = 0.7;

/** The values beside the ceilings were measured on 2026-11-15, with Bun 1.4.4. */
const CEILINGS: Readonly<Record<keyof Allocations, Ceiling>> = {
  ofRequest: {
    bytes: 30_300, // 29,480
    objects: {
      string: 118, // 115.7
      Object: 108, // 107.3
      JSLexicalEnvironment: 101, // 100.1
      Function: 66.4, // 65.6
      Array: 41.9, // 41.1
      Promise: 30, // 29.3
      BigInt: 25.2, // 24.4
      AsyncFunctionGenerator: 19.9, // 19.1
      Uint8Array: 8.6, // 7.9
      "Cell Butterfly": 4.8, // 4.1
      RegExp: 2.7, // 2.1
      Immediate: 2.7, // 2.0
      SlimPromiseReaction: 2.7, // 2.0
      Set: 2.7, // 2.0
      AsyncFunction: 2.7, // 2.0
      Date: 1.7, // 1.1
      "Set Iterator": 1.7, // 1.1
      Map: 1.7, // 1.0
      ArrayIterator: 1.7, // 1.0
      Generator: 1.3, // 0.6
      Float64Array: 1, // 0.3
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
});

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
