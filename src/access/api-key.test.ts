import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { hashApiKey, hideKeys, idOfApiKey, isActive, issueKey, makeApiKey, opens, rotateKey } from "./api-key.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { Secret } from "../lib/secret/secret.ts";

test("a key has the prefix, 50 more characters, and contains its public id", () => {
  const { id, key } = makeApiKey();
  expect(key.reveal()).toMatch(/^sk-service-[0-9A-Za-z]{50}$/);
  expect(idOfApiKey(key.reveal())).toBe(id);
});

test("the checksum rejects a key with any one character changed", () => {
  const key = makeApiKey().key.reveal();
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom("a", "Z", "0", "-"), (at, letter) => {
      const changed = key.slice(0, at) + letter + key.slice(at + 1);
      expect(idOfApiKey(changed) === undefined).toBe(changed !== key);
    }),
    { numRuns: 2000 },
  );
});

test("random text is not accepted as a key", () => {
  fc.assert(fc.property(fc.string(), (text) => expect(idOfApiKey(text)).toBeUndefined()));
  fc.assert(fc.property(fc.stringMatching(/^sk-service-[0-9A-Za-z]{50}$/), (text) => expect(idOfApiKey(text)).toBeUndefined()));
});

test("keys are unique, and their hashes differ with another server secret", () => {
  const keys = Array.from({ length: 1000 }, () => makeApiKey().key.reveal());
  expect(new Set(keys).size).toBe(1000);
  expect(hashApiKey(keys[0]!, new Secret("a"))).not.toEqual(hashApiKey(keys[0]!, new Secret("b")));
  expect(hashApiKey(keys[0]!, new Secret("a"))).toEqual(hashApiKey(keys[0]!, new Secret("a")));
});

test("a key is valid until it expires or is revoked", () => {
  const wanted = { name: "a", accountId: "a", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: 1000 };
  const { record } = issueKey(wanted, new Secret("s"), 0);
  expect(isActive(record, 999)).toBe(true);
  expect(isActive(record, 1000)).toBe(false);
  expect(isActive({ ...record, expiresAtMs: null }, 1e15)).toBe(true);
  expect(isActive({ ...record, revokedAtMs: 1 }, 999)).toBe(false);
});

test("a rotated key keeps its id; the old secret works during the grace period, an older one does not", () => {
  const secret = new Secret("s");
  const hashOf = (key: Secret): Uint8Array => hashApiKey(key.reveal(), secret);
  const wanted = { name: "a", accountId: "a", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: 5000 };
  const { key: first, record } = issueKey(wanted, secret, 0);
  const { key: second, record: rotated } = rotateKey(record, 1000, secret, 100);
  expect(idOfApiKey(second.reveal())).toBe(record.id);
  const worksAt = (of: typeof record, nowMs: number): boolean[] => [first, second].map((key) => opens(of, hashOf(key), nowMs));
  expect(worksAt(record, 50)).toEqual([true, false]);
  expect(worksAt(rotated, 1099)).toEqual([true, true]);
  expect(worksAt(rotated, 1100)).toEqual([false, true]);
  expect(worksAt(rotated, 5000)).toEqual([false, false]);
  expect(worksAt({ ...rotated, revokedAtMs: 200 }, 300)).toEqual([false, false]);

  const { key: third, record: again } = rotateKey(rotated, 1000, secret, 200);
  expect(worksAt(again, 300)).toEqual([false, true]);
  expect(opens(again, hashOf(third), 300)).toBe(true);
  expect(worksAt(rotateKey(record, 0, secret, 200).record, 200)).toEqual([false, false]);
});

test("redacts keys in a text to their public part, and changes nothing else", () => {
  const { id, key } = makeApiKey();
  expect(hideKeys(`"${key.reveal()}" and ${key.reveal()}x`)).toBe(`"sk-service-${id}…" and sk-service-${id}…`);
  // A key truncated to fit a log line may still contain the whole secret, so it is redacted to its public part too.
  expect(hideKeys(key.reveal().slice(0, -3))).toBe(`sk-service-${id}…`);
  expect(hideKeys("sk-service-short")).toBe("sk-service-short");
});
