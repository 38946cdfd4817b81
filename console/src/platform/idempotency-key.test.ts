import { expect, test } from "bun:test";
import { IdempotencyKey } from "./idempotency-key.ts";

test("keeps a key for the same input until its response arrives", () => {
  const key = new IdempotencyKey();
  const first = key.of({ body: { name: "ci" } });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(key.of({ body: { name: "ci" } })).toBe(first);
  expect(key.of({ body: { name: "cd" } })).not.toBe(first);
  const again = key.of({ body: { name: "ci" } });
  expect(again).not.toBe(first);
  key.end();
  expect(key.of({ body: { name: "ci" } })).not.toBe(again);
});
