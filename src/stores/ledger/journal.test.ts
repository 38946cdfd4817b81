import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOW, USAGE } from "../../../test/ledger-samples.ts";
import type { CreditEntry } from "../../vocabulary/ledger-entry.ts";
import type { JournalEntry } from "./journal-fields.ts";
import { Journal, leftInJournal } from "./journal.ts";

const HUGE = 2n ** 60n + 1n;
const REQUEST = { accountId: "acme", atMs: NOW, actor: "key-1", requestId: "r1", keyId: "key-1", model: "m", priceVersion: "v1" };

const holdAt = (id: number): JournalEntry => ({ kind: "hold", id, ...REQUEST, reason: "a request", amountNanos: HUGE });
const settleAt = (id: number): JournalEntry => ({
  kind: "settle",
  id,
  ...REQUEST,
  reason: 'it said "überall"\n\u2028 🦊',
  holdId: id - 1,
  amountNanos: HUGE,
  unchargedNanos: HUGE + 1n,
  usage: { ...USAGE, cachedTokens: 3 },
  provenance: "partial",
  upstream: "u",
  upstreamModel: undefined,
  attempts: 2,
  failedAttempts: [{ upstream: "v", outcome: "busy" }] as never,
});
const costedAt = (id: number): JournalEntry => ({ ...settleAt(id), costVersion: "c1" }) as JournalEntry;
const releaseAt = (id: number): JournalEntry => ({ kind: "release", id, ...REQUEST, reason: "upstream_error", holdId: id - 1 });
const longAt = (id: number): JournalEntry => ({ ...releaseAt(id), reason: "ü".repeat(20_000) });
const SMALL = { ...holdAt(3), amountNanos: 64_350n } as JournalEntry;

let folder: string;
let path: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-journal-"));
  path = join(folder, "journal");
  journal = new Journal(path, "process");
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** What a process that is started now finds, behind an entry. */
function found(afterId = 0, at = path): JournalEntry[] {
  return leftInJournal(at, afterId);
}

const idsOf = (entries: readonly JournalEntry[]): number[] => entries.map(({ id }) => id);

for (const durability of ["process", "power"] as const) {
  test(`entries come back as they were put in, where a group outlives the ${durability}`, () => {
    const own = new Journal(path, durability);
    own.take([holdAt(1), settleAt(2)]);
    own.take([SMALL]);
    own.take([releaseAt(4), costedAt(5)]);
    own.close();
    expect(found()).toEqual([holdAt(1), settleAt(2), SMALL, releaseAt(4), costedAt(5)]);
  });
}

test("a group that was cut anywhere, or changed, is not there, and those before it are", () => {
  const torn = join(folder, "torn");
  journal.take([holdAt(1)]);
  const first = endOf(readFileSync(path), 1);
  journal.take([settleAt(2), holdAt(3)]);
  const whole = readFileSync(path).subarray(0, endOf(readFileSync(path), 2));
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(torn, whole.subarray(0, length));
    expect(idsOf(found(0, torn))).toEqual(length < first ? [] : [1]);
    // What a process that is killed leaves of a store is followed by what was there before.
    truncateSync(torn, whole.length + 1000);
    expect(idsOf(found(0, torn))).toEqual(length < first ? [] : [1]);
  }
  for (let at = first; at < whole.length; at += 7) {
    const changed = Buffer.from(whole);
    changed[at]! ^= 1;
    writeFileSync(torn, changed);
    expect(idsOf(found(0, torn))).toEqual([1]);
  }
});

/** Where the first so many groups of a file end. */
function endOf(file: Buffer, groups: number): number {
  let end = 0;
  for (let at = 0; at < groups; at++) end += 8 + file.readUInt32LE(end);
  return end;
}

test("what was taken outlives a process that is killed in the same turn", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../../test/take-and-die.ts"), path], { stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  expect(idsOf(found())).toEqual([1, 2]);
});

test("entries are taken one at a time or a turn at a time, and only for a loss of power is the disk waited for", () => {
  const sync = spyOn(fs, "fdatasyncSync");
  journal.take([holdAt(1)]);
  expect([journal.takesEach, sync.mock.calls.length]).toEqual([true, 0]);
  const own = new Journal(join(folder, "power"), "power");
  own.take([holdAt(1), settleAt(2)]);
  own.take([holdAt(3)]);
  expect([own.takesEach, sync.mock.calls.length]).toEqual([false, 2]);
  sync.mockImplementationOnce(() => {
    throw new Error("EIO");
  });
  expect(() => own.take([holdAt(4)])).toThrow("EIO");
  sync.mockRestore();
  own.close();
});

test("one that is full takes no more until it begins anew", () => {
  let id = 1;
  while (journal.take([longAt(id)])) id++;
  expect(id).toBeGreaterThan(4);
  expect(idsOf(found())).toEqual(Array.from({ length: id - 1 }, (_, at) => at + 1));
  journal.clear();
  expect(journal.take([longAt(id)])).toBe(true);
  expect(idsOf(found(id - 1))).toEqual([id]);
});

test("of a list, those from one on are taken", () => {
  journal.take([holdAt(1)]);
  journal.take([holdAt(1), settleAt(2), holdAt(3)], 1);
  expect(idsOf(found())).toEqual([1, 2, 3]);
});

test("what a process left stays while the next one takes the room for the file", () => {
  const left = join(folder, "left");
  journal.take([holdAt(1), settleAt(2)]);
  // As an older version wrote it, which had no size of its own.
  writeFileSync(left, readFileSync(path).subarray(0, endOf(readFileSync(path), 1)));
  const next = new Journal(left, "process");
  expect(idsOf(found(0, left))).toEqual([1, 2]);
  next.close();
});

test("all of the file has its room on the disk, also where it was a hole", () => {
  const sparse = join(folder, "sparse");
  writeFileSync(sparse, "");
  truncateSync(sparse, 256 * 1024);
  const next = new Journal(sparse, "process");
  expect(statSync(sparse).blocks * 512).toBeGreaterThanOrEqual(256 * 1024);
  next.close();
});

test("what is in the database is written over, and what is left of it behind the new is not taken for it", () => {
  journal.take([holdAt(1)]);
  journal.take([holdAt(2)]);
  journal.take([holdAt(3)]);
  journal.clear();
  // As long as each of those before: the second of the old ones follows at once.
  journal.take([holdAt(4)]);
  expect(idsOf(found(3))).toEqual([4]);
  journal.take([settleAt(5)]);
  expect(idsOf(found(3))).toEqual([4, 5]);
  expect(idsOf(found(4))).toEqual([5]);
});

test("an end that was behind a hold is not taken for the end of another with the same id, after the database went back", () => {
  journal.take([holdAt(3)]);
  journal.take([settleAt(4)]);
  journal.clear();
  journal.take([holdAt(3)]);
  expect(leftInJournal(path, 2)).toEqual([holdAt(3)]);
});

test("entries that the database has, and those that do not follow what it has, are left out", () => {
  journal.take([holdAt(8), settleAt(9)]);
  expect(idsOf(found(7))).toEqual([8, 9]);
  expect(idsOf(found(8))).toEqual([9]);
  expect(found(9)).toEqual([]);
  // A database from a backup: what came between is lost, and ids have no gaps.
  expect(found(6)).toEqual([]);
  journal.take([holdAt(11)]);
  expect(idsOf(found(7))).toEqual([8, 9]);
});

test("an orderly end leaves the file empty, unless something in it is not in the database", () => {
  const own = new Journal(path, "process");
  own.take([holdAt(1)]);
  own.close();
  expect(idsOf(found())).toEqual([1]);
  const next = new Journal(path, "process");
  next.take([holdAt(1)]);
  next.clear();
  next.close();
  expect(statSync(path).size).toBe(0);
});

test("credit is not taken, nor what comes with it", () => {
  journal.take([holdAt(1)]);
  const credit = { kind: "grant", id: 3, accountId: "acme", atMs: NOW, actor: "operator", reason: "why", amountNanos: 1n, reference: "a" };
  expect(journal.take([settleAt(2), credit as CreditEntry])).toBe(false);
  expect(idsOf(found())).toEqual([1]);
});

test("the file is for its owner alone", () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.skipIf(!existsSync("/dev/full"))("one for which the disk has no room takes nothing", () => {
  const full = new Journal("/dev/full", "process");
  expect([full.takesEach, full.take([holdAt(1)])]).toEqual([false, false]);
});
