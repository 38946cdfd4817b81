import { expect, test } from "bun:test";
import { ApiError } from "../requests/api-error.ts";
import { MinuteThrottle } from "./minute-throttle.ts";
import { networkOf } from "../lib/net/network-of.ts";

/** The number of calls admitted before the first rejection, out of a hundred. */
function letThrough(throttle: MinuteThrottle, who: (at: number) => string, nowMs = 0): number {
  for (let at = 0; at < 100; at++) {
    try {
      throttle.count(who(at), nowMs);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: "too_many_attempts", message: "Slow down." });
      return at;
    }
  }
  return Infinity;
}

const make = (allowed: number): MinuteThrottle => new MinuteThrottle(allowed, "Slow down.");

test("admits the limit in each minute", () => {
  const throttle = make(3);
  expect(letThrough(throttle, () => "a")).toBe(3);
  expect(letThrough(throttle, () => "a", 59_999)).toBe(0);
  expect(letThrough(throttle, () => "b", 59_999)).toBe(3);
  expect(letThrough(throttle, () => "a", 60_000)).toBe(3);
});

test("rejections have a Retry-After until the end of the minute", () => {
  const throttle = make(1);
  throttle.count("a", 0);
  let refusal: unknown;
  try {
    throttle.count("a", 40_000);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ retryAfterSeconds: 20 });
});

const byAddress = (addressAt: (at: number) => string): number => letThrough(make(3), (at) => networkOf(addressAt(at)));

test("addresses of one IPv6 network count as one, and IPv4 addresses individually", () => {
  expect(byAddress((at) => `2001:db8:0:1::${at.toString(16)}`)).toBe(3);
  expect(byAddress((at) => (at % 2 ? "2001:db8::1:2:3:4" : "2001:db8:0:0:9:8:7:6"))).toBe(3);
  expect(byAddress((at) => `2001:db8:0:${at.toString(16)}::1`)).toBe(Infinity);
  expect(byAddress((at) => (at % 2 ? "192.0.2.1" : "::ffff:192.0.2.1"))).toBe(3);
  expect(byAddress((at) => `192.0.2.${at}`)).toBe(Infinity);
});

test("evicts the least recently seen address, so its memory is bounded", () => {
  const throttle = make(1);
  throttle.count("first", 0);
  for (let at = 0; at < 10_000; at++) throttle.count(`other-${at}`, 0);
  throttle.count("first", 0);
  expect(() => throttle.count("other-9999", 0)).toThrow("Slow down.");
});
