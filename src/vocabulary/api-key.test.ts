import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { hashApiKey, idOfApiKey, isActive, issueKey, makeApiKey } from "./api-key.ts";
import { NO_CAPS, NO_LIMITS } from "./limits.ts";
import { Secret } from "./secret.ts";

test("a key has the prefix, 50 characters more, and its public id inside", () => {
  const { id, key } = makeApiKey();
  expect(key.reveal()).toMatch(/^sk-service-[0-9A-Za-z]{50}$/);
  expect(idOfApiKey(key.reveal())).toBe(id);
});

test("a key with any one character changed is refused by its checksum", () => {
  const key = makeApiKey().key.reveal();
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom("a", "Z", "0", "-"), (at, letter) => {
      const changed = key.slice(0, at) + letter + key.slice(at + 1);
      expect(idOfApiKey(changed) === undefined).toBe(changed !== key);
    }),
    { numRuns: 2000 },
  );
});

test("no text is taken for a key by accident", () => {
  fc.assert(fc.property(fc.string(), (text) => expect(idOfApiKey(text)).toBeUndefined()));
  fc.assert(fc.property(fc.stringMatching(/^sk-service-[0-9A-Za-z]{50}$/), (text) => expect(idOfApiKey(text)).toBeUndefined()));
});

test("keys do not repeat, and neither do their hashes under another secret", () => {
  const keys = Array.from({ length: 1000 }, () => makeApiKey().key.reveal());
  expect(new Set(keys).size).toBe(1000);
  expect(hashApiKey(keys[0]!, new Secret("a"))).not.toEqual(hashApiKey(keys[0]!, new Secret("b")));
  expect(hashApiKey(keys[0]!, new Secret("a"))).toEqual(hashApiKey(keys[0]!, new Secret("a")));
});

test("a key works until the moment it expires, and not after it was revoked", () => {
  const wanted = { name: "a", accountId: "a", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: 1000 };
  const { record } = issueKey(wanted, new Secret("s"), 0);
  expect(isActive(record, 999)).toBe(true);
  expect(isActive(record, 1000)).toBe(false);
  expect(isActive({ ...record, expiresAtMs: null }, 1e15)).toBe(true);
  expect(isActive({ ...record, revokedAtMs: 1 }, 999)).toBe(false);
});
