import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../lib/secret/secret.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import { loadHashSecret } from "./load-hash-secret.ts";

const FIRST = new Secret("the-first-hash-secret-of-this-installation");
const SECOND = new Secret("the-second-hash-secret-of-this-installation");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-hash-secret-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The secret after a start with this number of keys. */
function load(given: Secret | undefined, keyCount: number): string {
  const keys = { ids: () => Array.from({ length: keyCount }, (_, at) => `k${at}`) } as unknown as KeyStore;
  return loadHashSecret(folder, given, keys).reveal();
}

const remove = (name: string): void => rmSync(join(folder, name));

test("without a variable, generates a secret on the first start, and never another while there are keys", () => {
  const made = load(undefined, 0);
  expect(load(undefined, 3)).toBe(made);
  expect(readdirSync(folder)).toEqual(["hash-secret"]);
  remove("hash-secret");
  expect(() => load(undefined, 3)).toThrow(`${folder}/hash-secret is missing, and without it none of the 3 keys is valid. Restore it`);
});

test("the secret of the variable is not stored, and a later start with another is refused", () => {
  expect(load(FIRST, 0)).toBe(FIRST.reveal());
  expect(load(FIRST, 3)).toBe(FIRST.reveal());
  expect(readdirSync(folder)).toEqual(["hash-secret-check"]);
  expect(statSync(join(folder, "hash-secret-check")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, "hash-secret-check"), "utf8")).not.toContain(FIRST.reveal());
  expect(() => load(SECOND, 3)).toThrow(
    "TOLLGATE_HASH_SECRET is not the secret that the stored keys are hashed with: no key would be valid. " +
      "Set TOLLGATE_HASH_SECRET to the secret that was used before, or start with another folder.",
  );
  expect(() => load(undefined, 3)).toThrow("TOLLGATE_HASH_SECRET is not set, and without it none of the 3 keys is valid. Set it");
});

test("a variable that differs from the file is refused while there are keys", () => {
  const made = new Secret(load(undefined, 0));
  expect(() => load(FIRST, 1)).toThrow(`Unset it, or set it to the secret in ${folder}/hash-secret.`);
  expect(load(undefined, 1)).toBe(made.reveal());
  expect(load(made, 1)).toBe(made.reveal());
});

test("the secret can move from the file to the variable, and back", () => {
  const made = new Secret(load(undefined, 0));
  load(made, 1);
  expect(load(undefined, 1)).toBe(made.reveal());
  remove("hash-secret");
  expect(load(made, 1)).toBe(made.reveal());
  expect(() => load(FIRST, 1)).toThrow("the secret that was used before");
});

test("while there is no key, the variable may change, and the last one counts, not the file", () => {
  load(undefined, 0);
  load(FIRST, 0);
  expect(load(SECOND, 0)).toBe(SECOND.reveal());
  expect(load(SECOND, 1)).toBe(SECOND.reveal());
  expect(() => load(undefined, 1)).toThrow(
    `${folder}/hash-secret is not the secret that the stored keys are hashed with: no key would be valid. Set TOLLGATE_HASH_SECRET`,
  );
  expect(() => load(FIRST, 1)).toThrow("the secret that was used before");
});

test("while there is no key, the variable may be unset, and the file counts", () => {
  load(FIRST, 0);
  const made = load(undefined, 0);
  expect(load(undefined, 1)).toBe(made);
  expect(() => load(FIRST, 1)).toThrow(`Unset it, or set it to the secret in ${folder}/hash-secret.`);
});

test("a database that was restored alone starts with any secret, and no unconfirmed one makes the right one fail later", () => {
  expect(load(SECOND, 3)).toBe(SECOND.reveal());
  expect(load(FIRST, 3)).toBe(FIRST.reveal());
});
