import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseIsoDate } from "./iso-date.ts";

test("every formatted time parses to the same time", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }), (date) => {
      expect(parseIsoDate(date.toISOString())).toBe(date.getTime());
    }),
  );
  expect(parseIsoDate("2027-01-31")).toBe(Date.UTC(2027, 0, 31));
  expect(parseIsoDate("2027-01-31T12:00+02:00")).toBe(Date.UTC(2027, 0, 31, 10));
});

test("rejects dates that do not exist", () => {
  for (const text of [
    "",
    "tomorrow",
    "2027",
    "2027-1-1",
    "2027-02-29",
    "2026-02-30T00:00:00Z",
    "2027-13-01",
    "2027-01-31T25:00:00Z",
    "2027-01-31T12:00",
    "31.01.2027",
  ]) {
    expect(parseIsoDate(text)).toBeUndefined();
  }
});
