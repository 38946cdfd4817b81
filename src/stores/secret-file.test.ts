import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOrCreateSecret, readSecret } from "./secret-file.ts";

test("creates a secret once, readable by its owner alone, and rejects an empty file", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-secret-"));
  const path = join(folder, "secret");
  expect(readSecret(path)).toBeUndefined();
  const made = loadOrCreateSecret(path, "prefix-").reveal();
  expect(made).toMatch(/^prefix-[0-9A-Za-z]{43}$/);
  expect(loadOrCreateSecret(path).reveal()).toBe(made);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, "\n");
  expect(() => loadOrCreateSecret(path)).toThrow("is empty");
  rmSync(folder, { recursive: true });
});
