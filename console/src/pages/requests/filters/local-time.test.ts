import { expect, test } from "bun:test";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

test("round-trips a time through a datetime field", () => {
  for (const time of ["2027-01-31T12:34:00.000Z", "2027-07-01T00:00:00.000Z", "2026-03-29T00:30:00.000Z"]) {
    expect(fromLocalInput(toLocalInput(time))).toBe(time);
  }
});

test("maps an invalid time to an empty field and back", () => {
  expect([toLocalInput(undefined), toLocalInput("soon")]).toEqual(["", ""]);
  expect([fromLocalInput(""), fromLocalInput("soon")]).toEqual([undefined, undefined]);
});
