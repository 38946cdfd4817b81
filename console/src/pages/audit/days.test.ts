import { expect, test } from "bun:test";
import { dayOf, startOfDay } from "./days.ts";

test("a day is that of whoever looks, there and back", () => {
  for (const day of ["2027-01-01", "2027-03-28", "2027-10-31"]) expect(dayOf(startOfDay(day))).toBe(day);
  expect(startOfDay("2027-03-10")).toBe(new Date(2027, 2, 10).toISOString());
});

test("what is no day is none", () => {
  expect([dayOf(undefined), dayOf("yesterday"), startOfDay(""), startOfDay("soon")]).toEqual(["", "", "", ""]);
});
