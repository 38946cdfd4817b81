import { expect, test } from "bun:test";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { AddressThrottle } from "./address-throttle.ts";

function missesUntilRefused(throttle: AddressThrottle, addresses: (at: number) => string | null, nowMs = 0): number {
  for (let at = 0; at < 100; at++) {
    try {
      throttle.countMiss(addresses(at), nowMs);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ code: "too_many_attempts", retryAfterSeconds: 59 });
      return at;
    }
  }
  return Infinity;
}

test("an address may miss so often in a minute, and then again in the next", () => {
  const throttle = new AddressThrottle(3);
  expect(missesUntilRefused(throttle, () => "192.0.2.1")).toBe(3);
  expect(missesUntilRefused(throttle, () => "192.0.2.1")).toBe(0);
  expect(missesUntilRefused(throttle, () => "192.0.2.2")).toBe(3);
  expect(missesUntilRefused(throttle, () => "192.0.2.1", 60_000)).toBe(3);
  expect(missesUntilRefused(throttle, () => null)).toBe(3);
});

test("the addresses of one IPv6 network count as one, and an IPv4 address in IPv6's form as itself", () => {
  expect(missesUntilRefused(new AddressThrottle(3), (at) => `2001:db8:0:1::${at.toString(16)}`)).toBe(3);
  expect(missesUntilRefused(new AddressThrottle(3), (at) => (at % 2 ? "2001:db8::1:2:3:4" : "2001:db8:0:0:9:8:7:6"))).toBe(3);
  expect(missesUntilRefused(new AddressThrottle(3), (at) => `2001:db8:0:${at.toString(16)}::1`)).toBe(Infinity);
  expect(missesUntilRefused(new AddressThrottle(3), (at) => (at % 2 ? "192.0.2.1" : "::ffff:192.0.2.1"))).toBe(3);
});

test("ten thousand addresses are remembered and no more", () => {
  const throttle = new AddressThrottle(1);
  for (let at = 0; at < 10_001; at++) throttle.countMiss(`host-${at}`, 0);
  throttle.countMiss("host-0", 0);
  expect(() => throttle.countMiss("host-10000", 0)).toThrow();
});
