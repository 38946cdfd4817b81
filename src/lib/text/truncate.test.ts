import { expect, test } from "bun:test";
import { truncate } from "./truncate.ts";

test("returns the same as slice, for any text", () => {
  for (const text of ["", "abc", "€".repeat(300), "😀".repeat(300), `\ud83d${"x".repeat(300)}`]) {
    for (const chars of [0, 1, 2, 199, 200, 1000]) expect(truncate(text, chars)).toBe(text.slice(0, chars));
  }
});

test("truncated texts do not retain the large texts in memory", () => {
  const kept: string[] = [];
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  for (let at = 0; at < 60; at++) kept.push(truncate((JSON.parse(`["${"x".repeat(5_000_000)}${at}"]`) as [string])[0], 200));
  Bun.gc(true);
  // As views, they would retain 300 MB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(150e6);
  expect(kept).toHaveLength(60);
});
