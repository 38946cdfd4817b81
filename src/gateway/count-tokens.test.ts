import { expect, test } from "bun:test";
import { CountLimits } from "./count-tokens.ts";

test("a key may have four counts in flight, and another key its own", () => {
  const limits = new CountLimits(() => 0);
  const ends = Array.from({ length: 4 }, () => limits.take("a"));
  expect(() => limits.take("a")).toThrow("4 requests in flight");
  limits.take("b");
  ends[0]!();
  limits.take("a");
  expect(() => limits.take("a")).toThrow("4 requests in flight");
});

test("a key may count 120 times in a minute, and counts in flight outlast it", () => {
  let nowMs = 0;
  const limits = new CountLimits(() => nowMs);
  const end = limits.take("a");
  for (let count = 1; count < 120; count++) limits.take("a")();
  expect(() => limits.take("a")).toThrow(expect.objectContaining({ code: "rate_limit_exceeded", retryAfterSeconds: 59 }));
  nowMs = 60_000;
  for (let count = 0; count < 3; count++) limits.take("a");
  expect(() => limits.take("a")).toThrow("4 requests in flight");
  end();
  limits.take("a");
});
