import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessChange } from "../leases/process-change.ts";
import { ProcessJournal, readProcessJournal } from "./process-journal.ts";

const REQUEST = { accountId: "acme", atMs: 1, actor: "k", reason: "a request", keyId: "k", model: "m", priceVersion: "v" };

const holdAt = (id: number): ProcessChange => ({ kind: "hold", id, ...REQUEST, requestId: `r${id}`, amountNanos: 5n });
/** Six of these changes fill a segment. */
const longAt = (id: number): ProcessChange => ({
  kind: "hold",
  id,
  ...REQUEST,
  reason: "ü".repeat(20_000),
  requestId: `r${id}`,
  amountNanos: 5n,
});
const leaseAt = (id: number): ProcessChange => ({
  kind: "lease",
  id,
  purse: { scope: "account", id: "acme" },
  bound: "at_least",
  nanos: 2n ** 60n,
});

let folder: string;
let journal: ProcessJournal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-process-journal-"));
  journal = new ProcessJournal(folder, "process");
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

const idsAfter = (appliedSeq: number): number[] => readProcessJournal(folder, appliedSeq).map(({ id }) => id);

test("reads back the changes that the authority has not applied", () => {
  const leases = [{ purse: { scope: "key", id: "k" } as const, nanos: 7n }];
  journal.append([holdAt(1), leaseAt(2)]);
  journal.append([
    { kind: "statement", id: 3, leases },
    { kind: "direct", id: 4, requestId: "r1" },
  ]);
  expect(readProcessJournal(folder, 0)).toEqual([
    holdAt(1),
    leaseAt(2),
    { kind: "statement", id: 3 },
    { kind: "direct", id: 4, requestId: "r1" },
  ]);
  expect(idsAfter(2)).toEqual([3, 4]);
  expect(idsAfter(4)).toEqual([]);
});

test("continues in another segment, and writes applied segments again", () => {
  for (let id = 1; id <= 200; id++) {
    expect(journal.append([longAt(id)])).toBe(true);
    if (id > 8) journal.markApplied(id - 8);
    expect(idsAfter(Math.max(0, id - 8))).toEqual(Array.from({ length: Math.min(id, 8) }, (_, index) => Math.max(0, id - 8) + index + 1));
  }
  expect(readdirSync(folder).length).toBeLessThan(8);
});

test("is full when the authority has applied nothing for 64 segments, and usable again when it has", () => {
  let id = 1;
  while (journal.append([longAt(id)])) id++;
  expect(readdirSync(folder)).toHaveLength(64);
  expect(idsAfter(0)).toHaveLength(id - 1);
  journal.markApplied(id - 1);
  expect(journal.append([longAt(id)])).toBe(true);
  expect(idsAfter(id - 1)).toEqual([id]);
});

test("keeps applied changes as asked, while there is space for others", () => {
  let id = 1;
  for (; id <= 100; id++) {
    expect(journal.append([longAt(id)])).toBe(true);
    journal.markApplied(id, 1);
  }
  expect(idsAfter(1)).toEqual(Array.from({ length: 99 }, (_, index) => index + 2));
  for (; id <= 1000; id++) {
    expect(journal.append([longAt(id)])).toBe(true);
    journal.markApplied(id, 1);
  }
  expect(readdirSync(folder)).toHaveLength(64);
  expect(idsAfter(700)).toHaveLength(300);
});

test("reports a missing segment in the middle, and a damaged one", () => {
  for (let id = 1; id <= 16; id++) journal.append([longAt(id)]);
  const second = join(folder, "segment-2");
  const bytes = readFileSync(second);
  rmSync(second);
  expect(() => idsAfter(0)).toThrow(/changes \d+ to \d+ are missing/);
  bytes[200]! ^= 1;
  writeFileSync(second, bytes);
  expect(() => idsAfter(0)).toThrow(/segment-2: .*checksum/);
});
