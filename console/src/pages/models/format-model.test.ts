import { expect, test } from "bun:test";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { formatDays, daysUntil, rate } from "./format-model.ts";

test("formats a rate with all its digits, at least two decimals", () => {
  expect([rate(2.5), rate(0.075), rate(0), rate(0.000001), rate(undefined)]).toEqual(["$2.50", "$0.075", "$0.00", "$0.000001", "–"]);
});

test("counts days by the UTC calendar, independent of the hour", () => {
  const late = Date.UTC(2026, 10, 15, 23, 59);
  const early = Date.UTC(2026, 10, 15, 0, 1);
  expect([late, early].map((now) => daysUntil("2026-11-16", now))).toEqual([1, 1]);
  expect([daysUntil("2026-11-15", late), daysUntil("2026-11-10", early)]).toEqual([0, -5]);
  expect([0, 1, -5, 77].map(formatDays)).toEqual(["today", "in 1 day", "5 days ago", "in 77 days"]);
});

test("formats a shutdown date without a time zone", () => {
  expect(calendarDay("2027-01-31")).toBe("31 Jan 2027");
});
