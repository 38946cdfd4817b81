import { expect, test } from "bun:test";
import { newId, TRACE_ID_BYTES } from "./traced-request.ts";
import { isSampled } from "./tracing.ts";

const parent = (sampled: boolean): Parameters<typeof isSampled>[2] => ({ traceId: "a", spanId: "b", isSampled: sampled, isRandom: false });
const ids = Array.from({ length: 20_000 }, () => newId(TRACE_ID_BYTES));

test("a parent-based sampler follows the decision of the parent", () => {
  for (const ratio of [0, 0.5, 1]) {
    expect(isSampled({ ratio, isParentBased: true }, ids[0]!, parent(true))).toBe(true);
    expect(isSampled({ ratio, isParentBased: true }, ids[0]!, parent(false))).toBe(false);
  }
});

test("other samplers ignore the parent", () => {
  expect(isSampled({ ratio: 1, isParentBased: false }, ids[0]!, parent(false))).toBe(true);
  expect(isSampled({ ratio: 0, isParentBased: false }, ids[0]!, parent(true))).toBe(false);
});

test("a ratio samples about that share of the traces, each completely or not at all", () => {
  for (const ratio of [0.01, 0.25, 0.9]) {
    const taken = ids.filter((id) => isSampled({ ratio, isParentBased: true }, id, undefined));
    // At most five standard deviations.
    expect(Math.abs(taken.length / ids.length - ratio)).toBeLessThan(5 * Math.sqrt((ratio * (1 - ratio)) / ids.length));
    expect(taken.every((id) => isSampled({ ratio, isParentBased: false }, id, parent(false)))).toBe(true);
  }
});

test("a higher ratio samples every trace of a lower one, so that services with different ratios share complete traces", () => {
  const small = ids.filter((id) => isSampled({ ratio: 0.1, isParentBased: false }, id, undefined));
  expect(small.every((id) => isSampled({ ratio: 0.3, isParentBased: false }, id, undefined))).toBe(true);
});

test("IDs are random and have the right length", () => {
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
});
