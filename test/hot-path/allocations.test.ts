/**
 * The cost of a request, measured without a clock by its allocations. They vary by less than 1 % between runs, on any machine and under any
 * load. CPU time follows them, because memory must also be filled and collected.
 */
import { beforeAll, expect, test } from "bun:test";
import { measureAllocations, type AllocationCount, type Allocations } from "./measure-allocations.ts";

/** The maximum allocations. */
interface Ceiling {
  readonly bytes: number;
  /** The maximum number of objects by kind. Other kinds may have `A_FEW`. */
  readonly objects: Readonly<Record<string, number>>;
}

/** Allocations of background work, per request. A new object in every request exceeds it. */
const A_FEW = 0.5;

/** The comments have the values measured on 2026-11-18 with Bun 1.4.4. The margin is less than one object per request. */
const CEILINGS: Readonly<Record<keyof Allocations, Ceiling>> = {
  ofRequest: {
    bytes: 22_400, // 21,945
    objects: {
      string: 103, // 102.5
      Object: 101.5, // 101.0
      JSLexicalEnvironment: 45.5, // 44.9
      Array: 31.4, // 30.9
      Function: 24.5, // 24.0
      BigInt: 24.5, // 23.9
      Promise: 13.5, // 13.0
      AsyncFunctionGenerator: 10.5, // 10.0
      Uint8Array: 5.6, // 5.1
      "Cell Butterfly": 3.6, // 3.1
      Immediate: 1.7, // 1.2
      Date: 1.7, // 1.2
      Map: 1.5, // 1.0
    },
  },
  ofChunk: {
    bytes: 1280, // 1,221
    objects: {
      string: 10.5, // 10.0
      Array: 3.5, // 3.0
      Uint8Array: 2.5, // 2.0
      Object: 1.6, // 1.1
    },
  },
};

const WHAT_TO_DO = "Find the object, closure, promise or copy that was added to the hot path. If it is worth its price, raise the ceiling.";

let measured: Allocations;

beforeAll(async () => {
  measured = await measureAllocations();
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
function above(ceiling: Ceiling, { bytes, objects }: AllocationCount): string[] {
  const tooMany = [...objects]
    .filter(([kind, count]) => count > (ceiling.objects[kind] ?? A_FEW))
    .map(([kind, count]) => `${kind}: ${count.toFixed(1)}, and may be ${ceiling.objects[kind] ?? A_FEW}`);
  return bytes > ceiling.bytes ? [`${Math.round(bytes)} bytes, and may be ${ceiling.bytes}`, ...tooMany] : tooMany;
}
