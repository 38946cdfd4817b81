import { expect, test } from "bun:test";
import { dateField, expiresAt } from "./expiry-field.tsx";

const NOW = Date.UTC(2026, 9, 20, 12);

test("computes no expiry, a number of days, or the end of a day", () => {
  expect(expiresAt("none", "", NOW)).toBeNull();
  expect(expiresAt("same", "", NOW)).toBeUndefined();
  expect(expiresAt("30", "", NOW)).toBe("2026-11-19T12:00:00.000Z");
  expect(expiresAt("date", "2026-12-31", NOW)).toBe(new Date(2027, 0, 1).toISOString());
});

test("fills date inputs with the browser's local day", () => {
  expect(dateField(new Date(2027, 0, 5, 23, 59).getTime())).toBe("2027-01-05");
});
