import { expect, test } from "bun:test";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

test("a moment that goes through a field of date and time is the same moment", () => {
  for (const time of ["2027-01-31T12:34:00.000Z", "2027-07-01T00:00:00.000Z", "2026-03-29T00:30:00.000Z"]) {
    expect(fromLocalInput(toLocalInput(time))).toBe(time);
  }
});

test("what is no moment is an empty field, and an empty field is none", () => {
  expect([toLocalInput(undefined), toLocalInput("soon")]).toEqual(["", ""]);
  expect([fromLocalInput(""), fromLocalInput("soon")]).toEqual([undefined, undefined]);
});
