import { expect, test } from "bun:test";
import { GuessThrottle } from "./authenticate.ts";

const clock = { nowMs: 0 };

function isRefused(throttle: GuessThrottle, address: string): boolean {
  try {
    throttle.refuse(address);
    return false;
  } catch {
    return true;
  }
}

test("an address may fail 60 times per minute, and no other address is affected", () => {
  const throttle = new GuessThrottle(() => clock.nowMs);
  for (let count = 0; count < 60; count++) {
    expect(isRefused(throttle, "192.0.2.1")).toBe(false);
    throttle.noteFailure("192.0.2.1");
  }
  expect(["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"].map((address) => isRefused(throttle, address))).toEqual([true, true, false]);
  clock.nowMs += 59_999;
  expect(isRefused(throttle, "192.0.2.1")).toBe(true);
  clock.nowMs += 1;
  expect(isRefused(throttle, "192.0.2.1")).toBe(false);
});

test("the addresses of an IPv6 network count together, and of the oldest networks nothing is remembered", () => {
  const throttle = new GuessThrottle(() => clock.nowMs);
  for (let host = 1; host <= 60; host++) throttle.noteFailure(`2001:db8::${host.toString(16)}`);
  expect(isRefused(throttle, "2001:db8::ffff")).toBe(true);
  for (let network = 0; network < 10_000; network++) throttle.noteFailure(`10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`);
  expect(isRefused(throttle, "2001:db8::ffff")).toBe(false);
});
