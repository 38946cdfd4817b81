import { expect, test } from "bun:test";
import { LastUsedTimes } from "./last-used-times.ts";

test("records a use a minute after the last one, and where the last time is in the future", () => {
  expect([null, 0, 1, 119_999, 120_000].map((lastMs) => LastUsedTimes.isNews(lastMs, 60_000))).toEqual([true, true, false, false, true]);
});
