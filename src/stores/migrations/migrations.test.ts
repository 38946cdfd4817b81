import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import checksums from "./checksums.json" with { type: "json" };
import { MIGRATIONS, POSTGRES_MIGRATIONS } from "./migrate.ts";

const RULE =
  "Never edit, rename or remove a landed migration: data folders that have run it would keep the schema it created. Add a new one instead.";
const NEW = "A new migration needs a line in migrate.ts, and one with the SHA-256 of its file in checksums.json.";

const names = readdirSync(import.meta.dir)
  .filter((name) => /^\d{4}-.*\.ts$/.test(name))
  .map((name) => name.replace(/\.ts$/, ""))
  .toSorted();

test("landed migrations are unchanged", () => {
  for (const [name, checksum] of Object.entries(checksums)) {
    expect(names, RULE).toContain(name);
    const bytes = readFileSync(join(import.meta.dir, `${name}.ts`));
    expect([name, createHash("sha256").update(bytes).digest("hex")], RULE).toEqual([name, checksum]);
  }
});

test("every migration runs, and has a checksum", () => {
  const all = new Set([...Object.keys(MIGRATIONS), ...Object.keys(POSTGRES_MIGRATIONS)]);
  expect([...all].toSorted(), NEW).toEqual(names);
  expect(Object.keys(checksums), NEW).toEqual(names);
});
