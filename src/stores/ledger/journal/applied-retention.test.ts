import { expect, test } from "bun:test";
import { AppliedRetention } from "./applied-retention.ts";

test("without a time to keep them, changes are forgotten as soon as they are applied", () => {
  expect(new AppliedRetention(0).applied(7, 0)).toBe(7);
});

test("changes are kept for the time, in steps of a second, and at most 20,000 of them", () => {
  const retention = new AppliedRetention(5000);
  expect([retention.applied(3, 0), retention.applied(10, 1500), retention.applied(11, 1600)]).toEqual([0, 0, 0]);
  expect([retention.applied(12, 5000), retention.applied(12, 6500)]).toEqual([3, 10]);
  expect(retention.applied(50_000, 7000)).toBe(30_000);
});

test("what a restored database lacks is not forgotten", () => {
  const retention = new AppliedRetention(5000);
  retention.applied(10, 0);
  expect([retention.applied(4, 6000), retention.applied(10, 6001)]).toEqual([4, 10]);
});
