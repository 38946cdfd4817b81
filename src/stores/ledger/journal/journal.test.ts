import * as fs from "node:fs";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOW, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import type { CreditEntry, EntryOfRequest } from "../../../money/ledger-entry.ts";
import type { Durability } from "../../database.ts";
import { Journal } from "./journal.ts";
import { HEADER_BYTES, JOURNAL_BYTES } from "./journal-layout.ts";
import { entriesToReplay, readJournal } from "./read-journal.ts";

const HUGE = 2n ** 60n + 1n;
const REQUEST = { accountId: "acme", atMs: NOW, actor: "key-1", requestId: "r1", keyId: "key-1", model: "m", priceVersion: "v1" };

const holdAt = (id: number): EntryOfRequest => ({ kind: "hold", id, ...REQUEST, reason: "a request", amountNanos: HUGE });
const settleAt = (id: number): EntryOfRequest => ({
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
const ATTRIBUTION = { user: "ünï\u2028", tags: { team: "search" }, conversation: "c1" };
const withAttribution = (entry: EntryOfRequest): EntryOfRequest => ({ ...entry, attribution: ATTRIBUTION });
const costedAt = (id: number): EntryOfRequest => ({ ...settleAt(id), costVersion: "c1" }) as EntryOfRequest;
const withCostAt = (id: number): EntryOfRequest => ({ ...settleAt(id), upstreamCostNanos: HUGE }) as EntryOfRequest;
const withPremiumAt = (id: number): EntryOfRequest => {
  const premium = { hourWriteTokens: 1, toolCalls: { web_search: 2 }, multipliers: ["fast"] };
  return { ...settleAt(id), usage: { ...USAGE, cachedTokens: 3, premium } } as EntryOfRequest;
};
const releaseAt = (id: number): EntryOfRequest => ({ kind: "release", id, ...REQUEST, reason: "upstream_error", holdId: id - 1 });
const longAt = (id: number): EntryOfRequest => ({ ...releaseAt(id), reason: "ü".repeat(20_000) });
const SMALL = { ...holdAt(3), amountNanos: 64_350n } as EntryOfRequest;

let folder: string;
let path: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-journal-"));
  path = join(folder, "journal");
  journal = openJournal(path);
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

function openJournal(at: string, durability: Durability = "process"): Journal {
  const opened = new Journal(at, durability);
  opened.begin({ entryId: 0, changeId: 0 });
  return opened;
}

/** The entries that a new process reads from the journal, after an entry. */
function found(afterId = 0, at = path): readonly EntryOfRequest[] {
  return entriesToReplay(readJournal(at), afterId);
}

const idsOf = (entries: readonly EntryOfRequest[]): number[] => entries.map(({ id }) => id);

for (const durability of ["process", "power"] as const) {
  test(`reads back appended entries with durability ${durability}`, () => {
    const own = openJournal(path, durability);
    own.append([holdAt(1), settleAt(2)]);
    own.append([SMALL]);
    own.append([releaseAt(4), costedAt(5)]);
    const attributed = [holdAt(6), releaseAt(7), settleAt(8), costedAt(9), withCostAt(10), withPremiumAt(11)].map(withAttribution);
    own.append([...attributed, withCostAt(12), withPremiumAt(13)]);
    own.close();
    expect(found()).toEqual([holdAt(1), settleAt(2), SMALL, releaseAt(4), costedAt(5), ...attributed, withCostAt(12), withPremiumAt(13)]);
  });
}

test("detects every flipped bit in a group, and reads the groups before it", () => {
  const damaged = join(folder, "damaged");
  journal.append([holdAt(1)]);
  const first = endOf(readFileSync(path), 1);
  journal.append([settleAt(2), holdAt(3)]);
  const whole = readFileSync(path);
  const length = 8 + (whole.readUInt32LE(first) & 0xffffff);
  for (let at = first; at < first + length; at++) {
    const changed = Buffer.from(whole);
    changed[at]! ^= 1 << (at % 8);
    writeFileSync(damaged, changed);
    expect(readJournal(damaged).damage).toContain(`the group at byte ${first} `);
    expect(idsOf(found(0, damaged))).toEqual([1]);
  }
});

test("detects truncation at any byte", () => {
  const cut = join(folder, "cut");
  journal.append([holdAt(1)]);
  const whole = readFileSync(path);
  for (const length of [1, 3, 4, 71, HEADER_BYTES, HEADER_BYTES + 1, endOf(whole, 1), JOURNAL_BYTES - 1]) {
    writeFileSync(cut, whole.subarray(0, length));
    expect([length, readJournal(cut).damage !== undefined]).toEqual([length, true]);
  }
  writeFileSync(cut, "");
  expect(readJournal(cut)).toMatchObject({ isEmpty: true, damage: undefined });
});

test("a kill between any two stores leaves no damage", () => {
  const stores: Buffer[] = [];
  const killed = join(folder, "killed");
  const copy = (): void => void stores.push(readFileSync(path));
  const words = spyOn(Buffer.prototype, "writeUInt32LE").mockImplementation(function (this: Buffer, value: number, at = 0) {
    copy();
    new DataView(this.buffer, this.byteOffset).setUint32(at, value, true);
    copy();
    return at + 4;
  });
  for (const round of [1, 4, 7]) {
    journal.append([holdAt(round)]);
    journal.append([settleAt(round + 1), longAt(round + 2)]);
    journal.clear(round + 2);
    journal.markChange(round);
  }
  words.mockRestore();
  for (const [at, bytes] of stores.entries()) {
    writeFileSync(killed, bytes);
    expect([at, readJournal(killed).damage]).toEqual([at, undefined]);
  }
  expect(stores.length).toBeGreaterThan(50);
});

/** The bytes as a journal of another boot, or of a system without a boot id. */
function ofBoot(boot: number, bytes: Buffer): Buffer {
  bytes.writeUInt32LE(boot, 8);
  bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(0, 12)), 12);
  return bytes;
}

test("a group that a loss of power truncated is not damage, and an intact one after it is known", () => {
  const other = join(folder, "other");
  journal.append([holdAt(1)]);
  const first = endOf(readFileSync(path), 1);
  journal.append([holdAt(2)]);
  const before = readFileSync(path);
  journal.append([holdAt(3)]);
  const after = readFileSync(path);
  for (const bytes of [before, after]) {
    bytes[first + 20]! ^= 1;
  }
  for (const boot of [7, 0]) {
    writeFileSync(other, ofBoot(boot, before));
    expect([idsOf(found(0, other)), readJournal(other)]).toMatchObject([[1], { damage: undefined, knownEntryId: 1 }]);
    writeFileSync(other, ofBoot(boot, after));
    expect([idsOf(found(0, other)), readJournal(other)]).toMatchObject([[1], { damage: undefined, knownEntryId: 3 }]);
  }
});

test("pages of two rounds, mixed by a loss of power, are not damage", () => {
  const mixed = join(folder, "mixed");
  const entries = Array.from({ length: 60 }, (_, at) => holdAt(100 + at));
  for (const entry of entries) journal.append([entry]);
  const before = readFileSync(path);
  journal.clear(159);
  for (const entry of entries) journal.append([{ ...entry, id: entry.id + 60 }]);
  const after = readFileSync(path);
  const PAGE = 4096;
  for (const [first, rest] of [
    [after, before],
    [before, after],
  ] as const) {
    writeFileSync(mixed, ofBoot(7, Buffer.concat([first.subarray(0, PAGE), rest.subarray(PAGE)])));
    expect(readJournal(mixed)).toMatchObject({ damage: undefined, isOfOtherBoot: true });
    expect(found(219, mixed)).toEqual([]);
  }
});

test("fsyncs a new journal before renaming it, so that a loss of power leaves no empty one", () => {
  const order: string[] = [];
  const sync = spyOn(fs, "fsyncSync").mockImplementation(() => void order.push("sync"));
  const { renameSync } = fs;
  const rename = spyOn(fs, "renameSync").mockImplementation((from, to) => {
    order.push("rename");
    renameSync(from, to);
  });
  openJournal(join(folder, "new"), "process").close();
  for (const spy of [sync, rename]) spy.mockRestore();
  expect(order).toEqual(["sync", "rename", "sync"]);
});

test("a clean close that a loss of power preserved in part is not damage", () => {
  const header = readFileSync(path).subarray(0, HEADER_BYTES);
  writeFileSync(join(folder, "closed"), header);
  expect(readJournal(join(folder, "closed")).damage).toBe(`it ends at byte ${HEADER_BYTES} of ${JOURNAL_BYTES}`);
  writeFileSync(join(folder, "closed"), ofBoot(7, Buffer.from(header)));
  expect(readJournal(join(folder, "closed"))).toMatchObject({ damage: undefined, mark: { entryId: 0 } });
});

test("reads the high-water mark, also where one of the two was being written", () => {
  journal.clear(5);
  journal.markChange(3);
  expect(readJournal(path).mark).toEqual({ entryId: 5, changeId: 3 });
  for (const at of [24, 48]) {
    const bytes = readFileSync(path);
    bytes[at]! ^= 1;
    writeFileSync(join(folder, "torn"), bytes);
    expect(readJournal(join(folder, "torn"))).toMatchObject({ mark: { entryId: 5 }, damage: undefined });
  }
  const bytes = readFileSync(path);
  bytes[24]! ^= 1;
  bytes[48]! ^= 1;
  writeFileSync(join(folder, "torn"), bytes);
  expect(readJournal(join(folder, "torn")).damage).toBe("its header is damaged");
});

test("a flipped bit in the header is detected, or harmless", () => {
  journal.append([holdAt(1)]);
  const whole = readFileSync(path);
  for (let at = 0; at < 24 * 8; at++) {
    const changed = Buffer.from(whole);
    changed[at >> 3]! ^= 1 << (at & 7);
    writeFileSync(join(folder, "flipped"), changed);
    const { damage, items } = readJournal(join(folder, "flipped"));
    expect([at, damage !== undefined || items.length === 1]).toEqual([at, true]);
  }
});

/** The offset at which the first `groups` groups of a file end. */
function endOf(file: Buffer, groups: number): number {
  let end = HEADER_BYTES;
  for (let at = 0; at < groups; at++) end = (end + 8 + (file.readUInt32LE(end) & 0xffffff) + 7) & ~7;
  return end;
}

test("appended entries survive kill -9 in the same turn", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../../../test/support/gateway/append-and-die.ts"), path], {
    stderr: "inherit",
  });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  expect(idsOf(found())).toEqual([1, 2]);
});

test("calls fdatasync for durability power only", () => {
  const sync = spyOn(fs, "fdatasyncSync");
  journal.append([holdAt(1)]);
  expect([journal.isCheapPerEntry, sync.mock.calls.length]).toEqual([true, 0]);
  const own = openJournal(join(folder, "power"), "power");
  own.append([holdAt(1), settleAt(2)]);
  own.append([holdAt(3)]);
  expect([own.isCheapPerEntry, sync.mock.calls.length]).toEqual([false, 2]);
  sync.mockImplementationOnce(() => {
    throw new Error("EIO");
  });
  expect(() => own.append([holdAt(4)])).toThrow("EIO");
  sync.mockRestore();
  own.close();
});

test("a full journal takes no entries until it is cleared", () => {
  let id = 1;
  while (journal.append([longAt(id)])) id++;
  expect(id).toBeGreaterThan(4);
  expect(idsOf(found())).toEqual(Array.from({ length: id - 1 }, (_, at) => at + 1));
  journal.clear(id - 1);
  expect(journal.append([longAt(id)])).toBe(true);
  expect(idsOf(found(id - 1))).toEqual([id]);
});

test("appends a list from an index on", () => {
  journal.append([holdAt(1)]);
  journal.append([holdAt(1), settleAt(2), holdAt(3)], 1);
  expect(idsOf(found())).toEqual([1, 2, 3]);
});

test("keeps the entries of the previous process until begin()", () => {
  journal.append([holdAt(1), settleAt(2)]);
  const next = new Journal(path, "process");
  expect(idsOf(found())).toEqual([1, 2]);
  next.begin({ entryId: 2, changeId: 7 });
  expect(readJournal(path)).toMatchObject({ items: [], mark: { entryId: 2, changeId: 7 } });
  next.close();
});

test("allocates all blocks of the file", () => {
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(JOURNAL_BYTES);
});

test("writes the file instead of mapping it on a copy-on-write file system", () => {
  const map = spyOn(Bun, "mmap");
  const type = spyOn(fs, "statfsSync").mockReturnValue({ type: 0x9123683e } as never);
  const sync = spyOn(fs, "fdatasyncSync");
  const own = openJournal(join(folder, "btrfs"));
  type.mockRestore();
  own.append([holdAt(1), settleAt(2)]);
  own.append([holdAt(3)]);
  expect(found(0, join(folder, "btrfs"))).toEqual([holdAt(1), settleAt(2), holdAt(3)]);
  own.clear(3);
  own.append([holdAt(4)]);
  expect(readJournal(join(folder, "btrfs"))).toMatchObject({ mark: { entryId: 3 }, items: [holdAt(4)], damage: undefined });
  const full = spyOn(fs, "writeSync").mockReturnValue(3);
  expect(() => own.append([settleAt(5)])).toThrow("ENOSPC");
  full.mockRestore();
  expect(idsOf(found(3, join(folder, "btrfs")))).toEqual([4]);
  expect([own.isCheapPerEntry, map.mock.calls.length, sync.mock.calls.length]).toEqual([true, 0, 0]);
  map.mockRestore();
  sync.mockRestore();
  own.close();
});

test("overwrites entries that are in the database, and does not read their remains", () => {
  journal.append([holdAt(1)]);
  journal.append([holdAt(2)]);
  journal.append([holdAt(3)]);
  journal.clear(3);
  // As long as each of the earlier groups, so that the second old group follows directly.
  journal.append([holdAt(4)]);
  expect(idsOf(found(3))).toEqual([4]);
  journal.append([settleAt(5)]);
  expect(idsOf(found(3))).toEqual([4, 5]);
  expect(idsOf(found(4))).toEqual([5]);
});

test("does not replay a closing entry for another hold with the same id, after the database was restored", () => {
  journal.append([holdAt(3)]);
  journal.append([settleAt(4)]);
  journal.clear(4);
  journal.append([holdAt(3)]);
  expect(found(2)).toEqual([holdAt(3)]);
});

test("replays neither entries that the database has, nor entries after a gap", () => {
  journal.append([holdAt(8), settleAt(9)]);
  expect(idsOf(found(7))).toEqual([8, 9]);
  expect(idsOf(found(8))).toEqual([9]);
  expect(found(9)).toEqual([]);
  // A database restored from a backup: the entries between are lost, and ids must have no gaps.
  expect(found(6)).toEqual([]);
  journal.append([holdAt(11)]);
  expect(idsOf(found(7))).toEqual([8, 9]);
  expect(readJournal(path).damage).toContain("begins with entry 11 behind entry 9");
});

test("a clean close leaves only the header, unless entries are not in the database", () => {
  const own = openJournal(path);
  own.append([holdAt(1)]);
  own.close();
  expect(idsOf(found())).toEqual([1]);
  const next = openJournal(path);
  next.append([holdAt(1)]);
  next.clear(1);
  next.close();
  expect(statSync(path).size).toBe(HEADER_BYTES);
  expect(readJournal(path)).toMatchObject({ mark: { entryId: 1, changeId: 0 }, items: [], damage: undefined });
  // Cutting an open file to this length would have lost its groups.
  const cut = openJournal(join(folder, "cut"));
  truncateSync(cut.path, HEADER_BYTES);
  expect(readJournal(cut.path).damage).toContain("ends at byte 72");
});

test("rejects groups with credit entries", () => {
  journal.append([holdAt(1)]);
  const credit = { kind: "grant", id: 3, accountId: "acme", atMs: NOW, actor: "operator", reason: "why", amountNanos: 1n, reference: "a" };
  expect(journal.append([settleAt(2), credit as CreditEntry])).toBe(false);
  expect(idsOf(found())).toEqual([1]);
});

test("the file is readable by its owner alone", () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a full disk leaves the previous journal", () => {
  journal.append([holdAt(1)]);
  const full = spyOn(fs, "writeSync").mockReturnValue(4096);
  expect(() => openJournal(path)).toThrow("ENOSPC");
  full.mockRestore();
  expect([idsOf(found()), fs.existsSync(`${path}.new`)]).toEqual([[1], false]);
});
