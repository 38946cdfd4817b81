import { expect, test } from "bun:test";
import type { UsageRow } from "../../../platform-client/types.ts";
import { dayIn, usageDays } from "./usage-days.ts";

const row = { requests: 2, prompt_tokens: 10, completion_tokens: 5, cost: "0.5", is_partial: true } as UsageRow;

test("includes days without usage, across the end of a month", () => {
  const days = usageDays([{ ...row, day: "2027-03-01" }], "2027-02-27", "2027-03-02");
  expect(days.map(({ day, requests }) => [day, requests])).toEqual([
    ["2027-02-27", 0],
    ["2027-02-28", 0],
    ["2027-03-01", 2],
    ["2027-03-02", 0],
  ]);
  expect(days[2]).toEqual({ day: "2027-03-01", requests: 2, tokens: 15, cost: "0.5", isPartial: true });
});

test("neither skips nor repeats a day when clocks change", () => {
  expect(usageDays([], "2026-10-24", "2026-10-27")).toHaveLength(4);
  expect(dayIn("Europe/Berlin", "2026-10-24T22:30:00Z")).toBe("2026-10-25");
  expect(dayIn("Pacific/Kiritimati", "2026-10-24T10:00:00Z")).toBe("2026-10-25");
});
