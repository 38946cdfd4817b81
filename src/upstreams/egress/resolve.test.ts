import { beforeEach, expect, test } from "bun:test";
import { CheckedAddresses, type Lookup } from "./resolve.ts";

const RULE = { allowPrivate: false, isEncrypted: true };

let nowMs: number;
let answer: () => Promise<readonly string[]>;
let lookups: number;
beforeEach(() => {
  nowMs = 0;
  lookups = 0;
  answer = () => Promise.resolve(["8.8.8.8", "2606:4700::1111"]);
});

const lookup: Lookup = () => {
  lookups += 1;
  return answer();
};
const addressesOf = (hostname: string): CheckedAddresses => new CheckedAddresses(hostname, RULE, lookup, () => nowMs);

async function detailOf(looking: Promise<unknown>): Promise<unknown> {
  return looking.then(
    () => "it was resolved",
    (error: unknown) => (error as { detail: unknown }).detail,
  );
}

test("shares one lookup among concurrent callers, and caches the result", async () => {
  const addresses = addressesOf("name.test");
  expect(addresses.known()).toBeUndefined();
  await Promise.all([addresses.lookUp(), addresses.lookUp(), addresses.lookUp()]);
  nowMs = 9_999;
  expect(addresses.known()).toEqual(["8.8.8.8", "2606:4700::1111"]);
  expect(lookups).toBe(1);
});

test("serves a stale result while it is refreshed", async () => {
  const addresses = addressesOf("name.test");
  await addresses.lookUp();
  nowMs = 10_000;
  answer = () => Promise.resolve(["1.1.1.1"]);
  expect(addresses.known()).toEqual(["8.8.8.8", "2606:4700::1111"]);
  await addresses.lookUp();
  expect(addresses.known()).toEqual(["1.1.1.1"]);
  expect(lookups).toBe(2);
  nowMs += 60_000;
  expect(addresses.known()).toBeUndefined();
});

test("keeps the old addresses when the resolver fails, and drops them when it returns a forbidden one", async () => {
  const addresses = addressesOf("name.test");
  await addresses.lookUp();
  nowMs = 10_000;
  answer = () => Promise.reject(new Error("no resolver"));
  expect(addresses.known()).toHaveLength(2);
  expect(await detailOf(addresses.lookUp())).toBe("name.test cannot be resolved: no resolver");
  expect(addresses.known()).toHaveLength(2);
  await Bun.sleep(0);
  answer = () => Promise.resolve(["8.8.8.8", "10.0.0.1"]);
  expect(addresses.known()).toHaveLength(2);
  expect(await detailOf(addresses.lookUp())).toBe(
    "name.test is not called: 10.0.0.1 is a private address, which needs allow_private: true",
  );
  expect(addresses.known()).toBeUndefined();
});

test("checks an IP address without resolving it", async () => {
  expect(await addressesOf("8.8.4.4").lookUp()).toEqual(["8.8.4.4"]);
  expect(await addressesOf("[2606:4700::1111]").lookUp()).toEqual(["2606:4700::1111"]);
  expect(await detailOf(addressesOf("[::ffff:7f00:1]").lookUp())).toContain("::ffff:7f00:1 is a loopback address");
  expect(lookups).toBe(0);
});

test("rejects a name without addresses", async () => {
  answer = () => Promise.resolve([]);
  expect(await detailOf(addressesOf("name.test").lookUp())).toBe("name.test resolves to no address");
});
