import { expect, test } from "bun:test";
import { OnceName } from "./idempotency-key.ts";

test("the same has the same name until its reply has come, and anything else another", () => {
  const once = new OnceName();
  const first = once.of({ body: { name: "ci" } });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(once.of({ body: { name: "ci" } })).toBe(first);
  expect(once.of({ body: { name: "cd" } })).not.toBe(first);
  const again = once.of({ body: { name: "ci" } });
  expect(again).not.toBe(first);
  once.end();
  expect(once.of({ body: { name: "ci" } })).not.toBe(again);
});
