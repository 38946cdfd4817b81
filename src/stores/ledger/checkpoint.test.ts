import { expect, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import * as fc from "fast-check";
import { fstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../test/streams/eventually.ts";
import { Checkpoint, type Sync } from "./checkpoint.ts";
import { openSqliteWriter } from "../database.ts";

/** So many commits are taken over together. */
const ENOUGH = 128;
const SECTOR = 512;

let folder: string;
let path: string;
let file: SqliteFile;
let checkpoint: Checkpoint;
let rows: number;

/** Tries something with a database of its own. */
async function withDatabase(tryOut: () => Promise<void>): Promise<void> {
  makeDatabase();
  try {
    await tryOut();
    await closeAll();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeDatabase(): void {
  folder = mkdtempSync(join(tmpdir(), "tollgate-checkpoint-"));
  path = join(folder, "tollgate.db");
  file = new SqliteFile(path);
  file.run("pragma journal_mode = wal");
  file.run("create table entries (id integer primary key, words text)");
  file.run("create index by_words on entries (words)");
  file.close();
  file = openSqliteWriter(path, "process");
  file.run("update entries set words = ''");
  rows = 0;
}

async function closeAll(): Promise<void> {
  file.close();
  await checkpoint.close();
}

/** As the ledger does: one row in many places of the index, and word of it. */
function commit(): void {
  rows++;
  file.run("insert into entries values (?, ?)", [rows, `${Bun.hash(String(rows))} and some words that take room`]);
  checkpoint.committed();
}

function commits(count: number): void {
  for (let left = count; left > 0; left--) commit();
}

function untilUnderWay(): void {
  while (!checkpoint.isUnderWay) commit();
}

const over = (): Promise<boolean> =>
  eventually(
    () => checkpoint.isUnderWay,
    (isUnderWay) => !isUnderWay,
  );

/** What a database of these files has: how many rows, or what is wrong with it. */
function found(database: Uint8Array, log?: Uint8Array): number | string {
  const copy = join(folder, "copy.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  writeFileSync(copy, database);
  if (log) writeFileSync(`${copy}-wal`, log);
  const opened = new SqliteFile(copy);
  try {
    const { integrity_check: said } = opened.query<{ integrity_check: string }, []>("pragma integrity_check").get()!;
    if (said !== "ok") return said;
    const { count, last } = opened
      .query<{ count: number; last: number }, []>("select count(*) as count, max(id) as last from entries")
      .get()!;
    return count === (last ?? 0) ? count : `${count} rows, the last of them ${last}`;
  } catch (error) {
    return String(error);
  } finally {
    opened.close();
  }
}

test("after enough commits all is in the file, and the log begins anew", () =>
  withDatabase(async () => {
    checkpoint = new Checkpoint(path);
    commits(ENOUGH - 1);
    expect([checkpoint.isUnderWay, found(readFileSync(path))]).toEqual([false, 0]);
    commit();
    expect(checkpoint.isUnderWay).toBe(true);
    await over();
    expect(found(readFileSync(path))).toBe(ENOUGH);
    const { size } = statSync(`${path}-wal`);
    for (let time = 0; time < 5; time++) {
      commits(ENOUGH);
      await over();
    }
    expect(statSync(`${path}-wal`).size).toBeLessThan(size * 2);
    expect(found(readFileSync(path))).toBe(6 * ENOUGH);
  }));

test("what is committed meanwhile stays in the log, and is taken over the next time", () =>
  withDatabase(async () => {
    checkpoint = new Checkpoint(path);
    commits(ENOUGH);
    commits(10);
    await over();
    expect(found(readFileSync(path), readFileSync(`${path}-wal`))).toBe(ENOUGH + 10);
    commits(ENOUGH - 10);
    await over();
    expect(found(readFileSync(path))).toBe(2 * ENOUGH);
  }));

test("what the disk refuses is tried again, and until it has it the log stays as it is", () =>
  withDatabase(async () => {
    let refusals = 0;
    let isRefusing = true;
    const sync: Sync = async () => {
      if (isRefusing) throw new Error(`EIO ${++refusals}`);
    };
    checkpoint = new Checkpoint(path, sync);
    commits(3 * ENOUGH);
    await eventually(
      () => refusals,
      (count) => count > 1,
    );
    expect([checkpoint.isUnderWay, found(readFileSync(path))]).toEqual([true, 0]);
    isRefusing = false;
    await over();
    commit();
    await over();
    expect(found(readFileSync(path))).toBe(3 * ENOUGH + 1);
  }));

test("a disk that refuses everything does not keep the process from ending", () =>
  withDatabase(async () => {
    checkpoint = new Checkpoint(path, () => Promise.reject(new Error("EIO")));
    commits(ENOUGH);
  }));

/**
 * The two files as a loss of power leaves them: of each, what the disk was waited for, and anything of what was written since, sector by
 * sector.
 */
class Disk {
  #database = readFileSync(path);
  #log = readFileSync(`${path}-wal`);
  /** How many rows were in the log when the disk had it. */
  rows = 0;
  #finish: (() => void) | undefined;

  /** It has what was there when this began, as soon as `finish` says so. */
  readonly sync: Sync = async (fd) => {
    const isDatabase = fstatSync(fd).ino === statSync(path).ino;
    const [now, rowsNow] = [readFileSync(isDatabase ? path : `${path}-wal`), rows];
    await new Promise<void>((resolve) => (this.#finish = resolve));
    if (isDatabase) this.#database = now;
    else [this.#log, this.rows] = [now, rowsNow];
  };

  async finish(): Promise<void> {
    this.#finish?.();
    await Bun.sleep(0);
  }

  afterLoss(isWritten: () => boolean): number | string {
    return found(mixed(this.#database, readFileSync(path), isWritten), mixed(this.#log, readFileSync(`${path}-wal`), isWritten));
  }
}

function mixed(old: Buffer, now: Buffer, isWritten: () => boolean): Buffer {
  const both = Buffer.alloc(now.length);
  for (let at = 0; at < now.length; at += SECTOR) both.set((isWritten() ? now : old).subarray(at, Math.min(at + SECTOR, now.length)), at);
  return both;
}

/** What happens next: so many commits, or as many as it takes; the disk is done with what it was asked for; or power is lost. */
type Step = { readonly commits: number } | "enough commits" | "the disk is done" | { readonly loss: number; readonly share: number };

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ commits: fc.integer({ min: 1, max: ENOUGH }) }),
  fc.constantFrom("enough commits" as const, "the disk is done" as const),
  fc.record({ loss: fc.integer(), share: fc.constantFrom(0, 0.1, 0.5, 0.9, 1) }),
);

async function take(next: Step, disk: Disk): Promise<void> {
  if (next === "the disk is done") return disk.finish();
  if (next === "enough commits") return untilUnderWay();
  if ("commits" in next) return commits(next.commits);
  const random = fc.sample(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), { numRuns: 1, seed: next.loss })[0]!;
  const left = disk.afterLoss(() => (random.next().value as number) < next.share);
  expect(left).toBeNumber();
  expect(left).toBeWithin(disk.rows, rows + 1);
}

test("a loss of power at any time leaves a sound database, with all that the disk was waited for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) =>
      withDatabase(async () => {
        const disk = new Disk();
        checkpoint = new Checkpoint(path, disk.sync);
        for (const next of steps) await take(next, disk);
        while (checkpoint.isUnderWay) await disk.finish();
      }),
    ),
    { numRuns: 40 },
  );
});
