import { expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  hashApiKey,
  redactKeys,
  idOfApiKey,
  importKey,
  isActive,
  issueKey,
  locateKey,
  makeApiKey,
  isValidSecret,
  rotateKey,
  sha256Of,
} from "./api-key.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { Secret } from "../lib/secret/secret.ts";

test("an imported key is found by its plaintext, and stored as the keyed hash of its SHA-256", () => {
  const [old, secret] = ["sk-old-gateway-0123456789", new Secret("s")];
  const wanted = { name: "n", accountId: "a", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
  const imported = { ...wanted, createdAtMs: 5, pausedAtMs: null };
  const record = importKey(imported, sha256Of(old), { from: "litellm", source: null, atMs: 9 }, secret);
  const located = locateKey(old, secret)!;
  expect([located.id, isValidSecret(record, located.hash, 10)]).toEqual([record.id, true]);
  // Imported keys are stored under this ID: another way to derive it would lock out every one of them.
  expect(record.id).toBe("uOc2jLgHl945");
  expect(record.hash).toEqual(hashApiKey(sha256Of(old), secret));
  expect(locateKey(`${old}x`, secret)!.id).not.toBe(record.id);
  expect(locateKey(old, new Secret("other"))!.id).not.toBe(record.id);
  // The hash in the other gateway's table is not itself a key.
  expect(isValidSecret(record, locateKey(sha256Of(old), secret)!.hash, 10)).toBe(false);
  expect(locateKey("x".repeat(300), secret)).toBeUndefined();

  const rotated = rotateKey(record, 1000, secret, 10);
  expect([
    rotated.record.imported,
    isValidSecret(rotated.record, located.hash, 11),
    isValidSecret(rotated.record, located.hash, 1011),
  ]).toEqual([null, true, false]);
});

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
  const worksAt = (of: typeof record, nowMs: number): boolean[] => [first, second].map((key) => isValidSecret(of, hashOf(key), nowMs));
  expect(worksAt(record, 50)).toEqual([true, false]);
  expect(worksAt(rotated, 1099)).toEqual([true, true]);
  expect(worksAt(rotated, 1100)).toEqual([false, true]);
  expect(worksAt(rotated, 5000)).toEqual([false, false]);
  expect(worksAt({ ...rotated, revokedAtMs: 200 }, 300)).toEqual([false, false]);

  const { key: third, record: again } = rotateKey(rotated, 1000, secret, 200);
  expect(worksAt(again, 300)).toEqual([false, true]);
  expect(isValidSecret(again, hashOf(third), 300)).toBe(true);
  expect(worksAt(rotateKey(record, 0, secret, 200).record, 200)).toEqual([false, false]);
});

test("redacts keys in a text to their public part, and changes nothing else", () => {
  const { id, key } = makeApiKey();
  expect(redactKeys(`"${key.reveal()}" and ${key.reveal()}x`)).toBe(`"sk-service-${id}…" and sk-service-${id}…`);
  // A key truncated to fit a log line may still contain the whole secret, so it is redacted to its public part too.
  expect(redactKeys(key.reveal().slice(0, -3))).toBe(`sk-service-${id}…`);
  expect(redactKeys("sk-service-short")).toBe("sk-service-short");
  expect(redactKeys("/v1/sk-Jx0_1234567890abcdef and task-management-of-everything")).toBe("/v1/sk-… and task-management-of-everything");
});
