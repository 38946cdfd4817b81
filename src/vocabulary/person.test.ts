import { expect, test } from "bun:test";
import { normalizeEmail } from "./person.ts";

test("an address is one in upper and lower case, and a letter that only looks alike is another", () => {
  expect(normalizeEmail("Kate@Example.TEST")).toBe("kate@example.test");
  expect(normalizeEmail("\u212Aate@example.test")).not.toBe("kate@example.test");
  expect(normalizeEmail("\u0130da@example.test")).toBe("\u0130da@example.test");
});
