import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { readBackup } from "./backup-format.ts";
import { BackupRefused } from "./backup-refused.ts";
import { BackupWriter } from "./backup-writer.ts";
import { extractBackup } from "./read-backup.ts";

const ABOUT = { createdAt: "2027-01-31T12:00:00.000Z", version: "0.1.0", source: "/srv/data" };
/** Longer than one part of a copy, and not a multiple of its size. */
const LONG_DAY = Buffer.alloc(1_500_001, "day");

let folder: string;
let path: string;
let size: number;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-format-"));
  path = make("whole", Buffer.alloc(5000, "day"));
  size = readFileSync(path).length;
});
afterAll(() => rmSync(folder, { recursive: true }));

function make(name: string, day: Buffer): string {
  const made = join(folder, name);
  writeFileSync(made, "the database");
  writeFileSync(join(folder, "day"), day);
  const writer = new BackupWriter(made);
  writer.addFile("requests/2027-01-31.db", join(folder, "day"));
  writer.addSecret("hash-secret", new Secret("ünsichtbar"));
  writer.seal(ABOUT);
  return made;
}

test("a backup has its files again, as they were", () => {
  const long = make("long", LONG_DAY);
  const manifest = readBackup(long);
  expect(manifest).toMatchObject({
    ...ABOUT,
    files: [{ name: "tollgate.db" }, { name: "requests/2027-01-31.db" }, { name: "hash-secret" }],
  });
  const to = join(folder, "extracted");
  extractBackup(long, manifest, to);
  expect(readFileSync(join(to, "tollgate.db"), "utf8")).toBe("the database");
  expect(readFileSync(join(to, "requests/2027-01-31.db")).equals(LONG_DAY)).toBe(true);
  expect(readFileSync(join(to, "hash-secret"), "utf8")).toBe("ünsichtbar\n");
});

/** The error for a copy of the backup after this change. */
function refusalOf(change: (copy: string) => void): unknown {
  const copy = join(folder, "changed");
  copyFileSync(path, copy);
  change(copy);
  try {
    return readBackup(copy);
  } catch (error) {
    return error;
  }
}

function flip(copy: string, at: number, bits: number): void {
  const bytes = readFileSync(copy);
  bytes[at]! ^= bits;
  writeFileSync(copy, bytes);
}

describe("is refused", () => {
  test("where any byte is another", () => {
    fc.assert(
      fc.property(fc.nat(size - 1), fc.integer({ min: 1, max: 255 }), (at, bits) => {
        expect(refusalOf((copy) => flip(copy, at, bits))).toBeInstanceOf(BackupRefused);
      }),
      runs(200),
    );
  });

  test("where any byte of manifest and checksum is another, each of them", () => {
    for (let at = size - 500; at < size; at++)
      expect([at, refusalOf((copy) => flip(copy, at, 1))]).toEqual([at, expect.any(BackupRefused)]);
  });

  test("where it ends early, at whichever byte, and where it goes on", () => {
    fc.assert(
      fc.property(fc.nat(size - 1), (length) => {
        expect(refusalOf((copy) => truncateSync(copy, length))).toBeInstanceOf(BackupRefused);
      }),
      runs(200),
    );
    for (const length of [0, 1, size - 1]) expect(refusalOf((copy) => truncateSync(copy, length))).toBeInstanceOf(BackupRefused);
    expect(refusalOf((copy) => appendFileSync(copy, "\n"))).toBeInstanceOf(BackupRefused);
  });

  test("where a later version has made it, by its name", () => {
    const newer = refusalOf((copy) =>
      writeFileSync(copy, readFileSync(copy, "latin1").replace("tollgate-backup 001", "tollgate-backup 002"), "latin1"),
    );
    expect((newer as Error).message).toContain("was made by a newer Tollgate");
  });

  test("where it has a file that no data folder has", () => {
    const to = join(folder, "outside");
    const manifest = { ...ABOUT, files: [{ name: "../evil", bytes: 3 }] };
    expect(() => extractBackup(path, manifest, to)).toThrow(BackupRefused);
  });
});
