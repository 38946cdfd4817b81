import { expect, test } from "bun:test";
import { newReference } from "./new-reference.ts";

test("a reference starts with the date and is unique", () => {
  const nowMs = Date.parse("2027-01-31T12:00:00Z");
  expect(newReference(nowMs)).toMatch(/^2027-01-31-[0-9a-f]{8}$/);
  expect(newReference(nowMs)).not.toBe(newReference(nowMs));
});
