import { expect, test } from "bun:test";
import { dayOf, startOfDay } from "./days.ts";

test("converts local days to times and back", () => {
  for (const day of ["2027-01-01", "2027-03-28", "2027-10-31"]) expect(dayOf(startOfDay(day))).toBe(day);
  expect(startOfDay("2027-03-10")).toBe(new Date(2027, 2, 10).toISOString());
});

test("returns an empty string for an invalid day", () => {
  expect([dayOf(undefined), dayOf("yesterday"), startOfDay(""), startOfDay("soon")]).toEqual(["", "", "", ""]);
});
