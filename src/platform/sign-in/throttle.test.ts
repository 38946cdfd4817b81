import { expect, test } from "bun:test";
import { SignInThrottle } from "./throttle.ts";

const HOUR_MS = 60 * 60 * 1000;
const HOME = "192.0.2.1";

const isPerson = (email: string): boolean => !email.startsWith("made up");

/** Whether an attempt is admitted immediately. */
function isAdmitted(throttle: SignInThrottle, email: string, address: string, nowMs = 0): boolean {
  try {
    throttle.admit(email, isPerson(email), address, nowMs);
    return true;
  } catch {
    return false;
  }
}

/** Makes failing attempts at one moment until one is not admitted. Returns their number. */
function failAt(throttle: SignInThrottle, email: string, address: string, nowMs = 0): number {
  let times = 0;
  while (times < 1000 && isAdmitted(throttle, email, address, nowMs)) times++;
  return times;
}

/** Signs in with the correct password. */
function signIn(throttle: SignInThrottle, email: string, address: string): void {
  throttle.admit(email, true, address, 0).succeed();
  throttle.recognize(email, address);
}

/** The number of people for whom one address can attempt a password, one after the other, at one moment. */
function tryMany(throttle: SignInThrottle, address: string): number {
  return Array.from({ length: 1000 }, (_, at) => isAdmitted(throttle, `victim-${at}`, address)).filter(Boolean).length;
}

test("waits grow up to a quarter of an hour", () => {
  const throttle = new SignInThrottle();
  let nowMs = 0;
  const waits: number[] = [];
  failAt(throttle, "ada", HOME);
  for (let at = 0; at < 12; at++) {
    const from = nowMs;
    while (!isAdmitted(throttle, "ada", HOME, nowMs)) nowMs += 1000;
    waits.push((nowMs - from) / 1000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
});

test("an hour without an attempt resets the count", () => {
  const throttle = new SignInThrottle();
  expect(failAt(throttle, "ada", HOME)).toBe(5);
  expect(failAt(throttle, "ada", HOME, HOUR_MS + 1)).toBe(5);
});

test("a stranger who fails on purpose does not lock out a person at a known address", () => {
  const throttle = new SignInThrottle();
  signIn(throttle, "ada", HOME);
  for (let at = 0; at < 10; at++) failAt(throttle, "ada", `198.51.100.${at}`);
  expect(isAdmitted(throttle, "ada", "203.0.113.1")).toBe(false);
  expect(isAdmitted(throttle, "ada", HOME)).toBe(true);
  expect(failAt(throttle, "ada", HOME)).toBe(4);
});

test("a success elsewhere does not reset a stranger's count", () => {
  const throttle = new SignInThrottle();
  throttle.recognize("ada", HOME);
  failAt(throttle, "ada", "198.51.100.1");
  signIn(throttle, "ada", HOME);
  expect(isAdmitted(throttle, "ada", "198.51.100.1")).toBe(false);
});

test("an address that tries many people is slowed down, and successes from it are not counted", () => {
  const throttle = new SignInThrottle();
  for (let at = 0; at < 30; at++) signIn(throttle, `colleague-${at}`, HOME);
  expect(tryMany(throttle, HOME)).toBe(20);
  expect(isAdmitted(throttle, "victim-100", HOME, 60_000)).toBe(true);
});

test("a sign-in with a link or by OpenID grants no free guesses", () => {
  const throttle = new SignInThrottle();
  for (let at = 0; at < 500; at++) throttle.recognize("eve", HOME);
  expect(tryMany(throttle, HOME)).toBe(20);
});

test("no count falls below zero", () => {
  const throttle = new SignInThrottle();
  const attempts = Array.from({ length: 3 }, (_, at) => throttle.admit(`early-${at}`, true, HOME, 0));
  for (const attempt of [...attempts, ...attempts]) attempt.succeed();
  expect(tryMany(throttle, HOME)).toBe(20);
});

test("an attempt that could not be checked does not count as a failure, and does not restart the wait", async () => {
  const throttle = new SignInThrottle();
  const refuse = async (nowMs: number): Promise<void> => {
    const overloaded = new Error("overloaded");
    const made = throttle.admit("ada", true, HOME, nowMs).make(() => Promise.reject(overloaded));
    expect(await made.catch((error: unknown) => error)).toBe(overloaded);
  };
  for (let at = 0; at < 100; at++) await refuse(0);
  expect(failAt(throttle, "ada", HOME)).toBe(5);
  for (let at = 0; at < 100; at++) await refuse(1000);
  expect(failAt(throttle, "ada", HOME, 1000)).toBe(1);
});

test("the 2^64 addresses of one IPv6 network count as one, and a mapped IPv4 address as itself", () => {
  for (const [one, other] of [
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
  ] as const) {
    const throttle = new SignInThrottle();
    for (let at = 0; at < 20; at++) throttle.admit(`victim-${at}`, true, one, 0);
    expect(isAdmitted(throttle, "another", other)).toBe(false);
    expect(isAdmitted(throttle, "another", "2001:db8:1:3::1")).toBe(true);
  }
});

test("a proxy on this machine is not counted as an address", () => {
  const throttle = new SignInThrottle();
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    const admitted = Array.from({ length: 100 }, (_, at) => isAdmitted(throttle, `${address} ${at}`, address)).filter(Boolean);
    expect(admitted).toHaveLength(100);
  }
});

test("an unknown email is treated like a known one", () => {
  expect(failAt(new SignInThrottle(), "made up", HOME)).toBe(failAt(new SignInThrottle(), "ada", HOME));
});

test("its memory is bounded, and invented emails do not evict a person's failures", () => {
  const throttle = new SignInThrottle();
  for (const email of ["ada", "made up first", "made up second"]) failAt(throttle, email, "127.0.0.1");
  for (let at = 0; at < 9_999; at++) throttle.admit(`made up ${at}`, false, "127.0.0.1", 0);
  expect(isAdmitted(throttle, "made up second", "127.0.0.1")).toBe(false);
  expect(isAdmitted(throttle, "made up first", "127.0.0.1")).toBe(true);
  expect(isAdmitted(throttle, "ada", "127.0.0.1")).toBe(false);
});
