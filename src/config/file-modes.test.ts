import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canOthers, hasModes } from "./file-modes.ts";

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-modes-"));
  mkdirSync(join(folder, "inner"));
  path = join(folder, "inner", "file");
  writeFileSync(path, "");
  chmodSync(join(folder, "inner"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const can = (mode: number): boolean[] => [canOthers("read", path, mode), canOthers("write", path, mode)];

test("others have the access of the last mode digit if they can reach the file", () => {
  chmodSync(folder, 0o711);
  expect([0o600, 0o660, 0o604, 0o602, 0o666].map(can)).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
});

test("a folder that others cannot enter protects the file, also behind a symbolic link", () => {
  const link = join(tmpdir(), `tollgate-link-${process.pid}`);
  symlinkSync(path, link);
  chmodSync(folder, 0o700);
  expect([canOthers("read", path, 0o644), canOthers("read", link, 0o644)]).toEqual([false, false]);
  chmodSync(folder, 0o755);
  expect([canOthers("read", path, 0o644), canOthers("read", link, 0o644)]).toEqual([true, true]);
  rmSync(link);
});

test("modes are ignored on a file system without modes", () => {
  // The numbers of statfs(2). On a 32-bit system, high numbers are negative.
  const names = {
    ext4: 0xef53,
    overlay: 0x794c7630,
    tmpfs: 0x01021994,
    nfs: 0x6969,
    "9p": 0x01021997,
    vfat: 0x4d44,
    cifs: 0xff534d42 - 2 ** 32,
  };
  const stored = Object.entries(names).filter(([, type]) => hasModes(type));
  expect(stored.map(([name]) => name)).toEqual(["ext4", "overlay", "tmpfs", "nfs"]);
});
