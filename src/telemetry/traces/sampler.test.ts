import { expect, test } from "bun:test";
import { newId, TRACE_ID_BYTES } from "./traced-request.ts";
import { isSampled } from "./sampler.ts";

const parent = (sampled: boolean): Parameters<typeof isSampled>[2] => ({ traceId: "a", spanId: "b", isSampled: sampled, isRandom: false });
const ids = Array.from({ length: 20_000 }, () => newId(TRACE_ID_BYTES));

test("a sampler that heeds its parent does what that one has decided", () => {
  for (const ratio of [0, 0.5, 1]) {
    expect(isSampled({ ratio, heedsParent: true }, ids[0]!, parent(true))).toBe(true);
    expect(isSampled({ ratio, heedsParent: true }, ids[0]!, parent(false))).toBe(false);
  }
});

test("one that does not decides for itself", () => {
  expect(isSampled({ ratio: 1, heedsParent: false }, ids[0]!, parent(false))).toBe(true);
  expect(isSampled({ ratio: 0, heedsParent: false }, ids[0]!, parent(true))).toBe(false);
});

test("a ratio takes about such a part of the traces, and of each trace all or nothing", () => {
  for (const ratio of [0.01, 0.25, 0.9]) {
    const taken = ids.filter((id) => isSampled({ ratio, heedsParent: true }, id, undefined));
    // Five standard deviations at the most.
    expect(Math.abs(taken.length / ids.length - ratio)).toBeLessThan(5 * Math.sqrt((ratio * (1 - ratio)) / ids.length));
    expect(taken.every((id) => isSampled({ ratio, heedsParent: false }, id, parent(false)))).toBe(true);
  }
});

test("what a smaller ratio takes a larger one takes too, so that services with different ones share whole traces", () => {
  const small = ids.filter((id) => isSampled({ ratio: 0.1, heedsParent: false }, id, undefined));
  expect(small.every((id) => isSampled({ ratio: 0.3, heedsParent: false }, id, undefined))).toBe(true);
});

test("ids are random, and of the right length", () => {
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
});
