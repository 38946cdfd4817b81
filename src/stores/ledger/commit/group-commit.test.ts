import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import { FaultyFile, type Fault } from "../../../../test/ledger-model/faulty-file.ts";
import { ManualTimers } from "../../../../test/ledger-model/manual-timers.ts";
import { watchPromise } from "../../../../test/ledger-model/watch-promise.ts";
import { GroupCommit } from "./group-commit.ts";

/** The ways in which an attempt can fail without leaving anything in the database. */
const FAULTS: readonly Fault[] = ["locked", "full", "fails", "rolled back"];

let inner: SqliteFile;
let file: FaultyFile;
let timers: ManualTimers;
let commit: GroupCommit<number>;
/** The items of each attempt, and whether it was a retry. */
let attempts: { readonly items: number; readonly isRetry: boolean }[];
let reports: (string | undefined)[];
let groups: number;
/** The items in the journal that are not in the database. */
let journal: number[];
let isAlone: boolean;
/** A fake checkpoint, which counts the commits that it was notified of. */
let checkpoint: { isRunning: boolean; commits: number; committed(): void };
/** What the journal does with the next group. */
let journalState: "takes it" | "has no place" | "fails";

beforeEach(() => {
  inner = new SqliteFile(":memory:", { strict: true });
  inner.run("create table entries (at integer primary key, id integer unique)");
  file = new FaultyFile(inner);
  [attempts, reports, groups, journal, journalState] = [[], [], 0, [], "has no place"];
  isAlone = true;
  checkpoint = { isRunning: false, commits: 0, committed: () => void checkpoint.commits++ };
  commit = open(false);
  timers = new ManualTimers();
  timers.install();
});
afterEach(() => {
  timers.uninstall();
  inner.close();
});

function report(failure: string | undefined): void {
  reports.push(failure);
}

function open(journalsEach: boolean, whenWritten: () => void = written): GroupCommit<number> {
  return new GroupCommit({
    file: file.asFile,
    appendToJournal,
    journalsEach,
    isAlone: () => isAlone,
    checkpoint,
    write,
    written: whenWritten,
    report,
  });
}

function appendToJournal(items: readonly number[], from: number): boolean {
  if (journalState === "fails") throw new Error("ENOSPC");
  if (journalState === "takes it") journal.push(...items.slice(from));
  return journalState === "takes it";
}

function written(): void {
  groups++;
  journal = [];
}

/** Inserts missing items, as the ledger does. */
function write(items: readonly number[], isRetry: boolean): void {
  attempts.push({ items: items.length, isRetry });
  const insert = file.prepare("insert into entries (id) values (?)") as { run(id: number): void };
  const there = new Set(isRetry ? rows() : []);
  for (const id of items) if (!there.has(id)) insert.run(id);
}

/** In insertion order. */
function rows(): number[] {
  return inner
    .query<{ id: number }, []>("select id from entries order by at")
    .all()
    .map(({ id }) => id);
}

function add(...items: number[]): void {
  for (const item of items) commit.add(item);
}

test("writes all items of one turn of the event loop in one transaction, in order", () => {
  add(3, 1);
  const early = watchPromise(commit.durable());
  add(2);
  expect([rows(), early.state]).toEqual([[], "pending"]);
  timers.fireImmediates();
  expect([rows(), attempts, early.state]).toEqual([[3, 1, 2], [{ items: 3, isRetry: false }], "fulfilled"]);

  add(4);
  timers.fireImmediates();
  expect([rows(), attempts.length, groups]).toEqual([[3, 1, 2, 4], 2, 2]);
  timers.fireImmediates();
  expect([attempts.length, groups]).toEqual([2, 2]);
});

test("calls `written` before it resolves any promise", () => {
  const order: string[] = [];
  const watched = open(false, () => order.push("written"));
  watched.add(1);
  void watched.attempted().then(() => order.push("attempted"));
  void watched.durable().then(() => order.push("durable"));
  timers.fireImmediates();
  expect(order[0]).toBe("written");
  expect(order.toSorted()).toEqual(["attempted", "durable", "written"]);
});

test("flush writes at once, and the end of the turn writes nothing twice", () => {
  add(1, 2);
  const watched = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
  commit.flush();
  expect(rows()).toEqual([1, 2]);
  timers.fireImmediates();
  expect([watched.map((each) => each.state), attempts.length]).toEqual([["fulfilled", "fulfilled"], 1]);
  commit.flush();
  expect(attempts.length).toBe(1);
});

for (const fault of FAULTS) {
  test(`a transaction that fails (${fault}) is rolled back: attempted() rejects, and durable() stays pending`, () => {
    file.faults.push(fault, fault);
    add(1, 2, 3);
    const [attempted, durable] = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
    timers.fireImmediates();
    expect([attempted.state, durable.state, rows()]).toEqual(["rejected", "pending", []]);
    expect([commit.failure?.message, reports.length, inner.inTransaction, timers.timeouts]).toEqual([reports[0], 1, false, 1]);
    // The reported error is the cause, not the error of a second rollback.
    expect(reports[0]).toMatch(/^SQLITE_(BUSY|FULL|IOERR): /);

    add(4);
    const later = watchPromise(commit.durable());
    timers.fireTimeouts();
    expect([durable.state, rows(), reports.length]).toEqual(["pending", [], 1]);

    timers.fireTimeouts();
    expect([durable.state, later.state, rows()]).toEqual(["fulfilled", "fulfilled", [1, 2, 3, 4]]);
    expect([commit.failure, reports.at(-1), reports.length, timers.timeouts, groups]).toEqual([undefined, undefined, 2, 0, 1]);
  });
}

test("does not repeat a commit that reported an error and was durable", () => {
  file.faults.push("kept");
  add(1, 2);
  const [attempted, durable] = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
  timers.fireImmediates();
  expect([attempted.state, durable.state, rows(), groups]).toEqual(["rejected", "pending", [1, 2], 0]);

  add(3);
  timers.fireTimeouts();
  expect([durable.state, rows(), groups]).toEqual(["fulfilled", [1, 2, 3], 1]);
  expect(attempts).toEqual([
    { items: 2, isRetry: false },
    { items: 3, isRetry: true },
  ]);
});

test("while the database fails, only a flush or the next retry writes, and a failed flush throws and keeps the items", () => {
  file.faults.push("locked", "full", "kept");
  add(1);
  timers.fireImmediates();
  add(2);
  timers.fireImmediates();
  expect(attempts.length).toBe(0);

  const attempted = watchPromise(commit.attempted());
  expect(() => commit.flush()).toThrow("SQLITE_FULL");
  expect([watchPromise(commit.attempted()).state, rows(), timers.timeouts]).toEqual(["pending", [], 1]);
  expect(() => commit.flush()).toThrow("SQLITE_IOERR");
  commit.flush();
  expect([attempted.state, rows(), timers.timeouts, commit.failure]).toEqual(["rejected", [1, 2], 0, undefined]);
});

test("writes at the end of the turn again after the failure is over", () => {
  file.faults.push("locked");
  add(1);
  timers.fireImmediates();
  timers.fireTimeouts();
  add(2);
  timers.fireImmediates();
  expect([rows(), attempts.at(-1)]).toEqual([[1, 2], { items: 1, isRetry: false }]);
});

test("a failed attempt without a waiting caller causes no unhandled rejection", () => {
  file.faults.push("fails");
  add(1);
  timers.fireImmediates();
  timers.fireTimeouts();
  expect(rows()).toEqual([1]);
});

test("does not retry after stop()", () => {
  file.faults.push("fails");
  add(1);
  timers.fireImmediates();
  commit.stop();
  expect(timers.timeouts).toBe(0);
  commit.flush();
  expect(rows()).toEqual([1]);
});

test("retries with exponential backoff from 10 ms to 500 ms, reset after a success", () => {
  const waits: number[] = [];
  const setTimeoutManually = globalThis.setTimeout;
  globalThis.setTimeout = ((callback: () => void, ms: number) => {
    waits.push(ms);
    return setTimeoutManually(callback, ms);
  }) as typeof setTimeout;
  file.faults.push(...Array.from({ length: 8 }, () => "locked" as const));
  add(1);
  timers.fireImmediates();
  for (let at = 0; at < 8; at++) timers.fireTimeouts();
  file.faults.push("locked");
  add(2);
  timers.fireImmediates();
  timers.fireTimeouts();
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 500, 500, 10]);
  expect(rows()).toEqual([1, 2]);
});

describe("with a journal", () => {
  beforeEach(() => {
    journalState = "takes it";
  });

  test("items of a turn are durable once the journal has them, and several turns go to the database in one transaction", () => {
    add(1, 2);
    const watched = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
    timers.fireImmediates();
    expect([journal, rows(), watched.map((each) => each.state)]).toEqual([[1, 2], [], ["fulfilled", "fulfilled"]]);
    add(3);
    const later = watchPromise(commit.durable());
    expect([later.state, commit.waiting]).toEqual(["pending", 3]);
    timers.fireImmediates();
    expect([journal, later.state, timers.timeouts]).toEqual([[1, 2, 3], "fulfilled", 1]);
    timers.fireTimeouts();
    expect([rows(), attempts, groups, journal, commit.waiting]).toEqual([[1, 2, 3], [{ items: 3, isRetry: false }], 1, [], 0]);
    expect(timers.timeouts).toBe(0);
    add(4);
    timers.fireImmediates();
    expect([journal, rows(), timers.timeouts]).toEqual([[4], [1, 2, 3], 1]);
  });

  test("a background slice writes all items, and the timer does not write them again", () => {
    add(1, 2);
    timers.fireImmediates();
    expect([commit.waiting, timers.timeouts]).toEqual([2, 1]);
    commit.runSlice();
    expect([rows(), commit.waiting, timers.timeouts]).toEqual([[1, 2], 0, 0]);
  });

  test("items stay in the journal while a checkpoint runs, and are written after it", () => {
    add(1);
    timers.fireImmediates();
    checkpoint.isRunning = true;
    expect(commit.waiting).toBe(0);
    commit.runSlice();
    timers.fireTimeouts();
    add(2);
    timers.fireImmediates();
    timers.fireTimeouts();
    expect([rows(), journal, commit.unwritten, timers.timeouts]).toEqual([[], [1, 2], 2, 1]);
    checkpoint.isRunning = false;
    timers.fireTimeouts();
    expect([rows(), journal, timers.timeouts, checkpoint.commits]).toEqual([[1, 2], [], 0, 1]);
  });

  test("a full journal is written to the database without waiting for the checkpoint", () => {
    checkpoint.isRunning = true;
    add(1);
    timers.fireImmediates();
    journalState = "has no place";
    add(2);
    timers.fireImmediates();
    expect([rows(), timers.timeouts]).toEqual([[1, 2], 0]);
  });

  test("a failed background slice is reported, and left to the next retry", () => {
    add(1);
    timers.fireImmediates();
    file.faults.push("locked");
    commit.runSlice();
    expect([commit.waiting, commit.unwritten]).toEqual([0, 1]);
    commit.runSlice();
    expect([attempts.length, reports.length, rows(), timers.timeouts]).toEqual([0, 1, [], 2]);
    timers.fireTimeouts();
    expect([rows(), reports.length, timers.timeouts]).toEqual([[1], 2, 0]);
  });

  test("flush writes all items, and the timer writes nothing twice", () => {
    add(1);
    timers.fireImmediates();
    add(2);
    const watched = watchPromise(commit.durable());
    commit.flush();
    expect([rows(), timers.timeouts]).toEqual([[1, 2], 0]);
    timers.fireImmediates();
    expect([watched.state, attempts.length, journal]).toEqual(["fulfilled", 1, []]);
  });

  for (const how of ["has no place", "fails"] as const) {
    test(`a group for which the journal ${how} is written to the database at once, with the items in the journal`, () => {
      add(1);
      timers.fireImmediates();
      journalState = how;
      add(2);
      const watched = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
      timers.fireImmediates();
      expect([rows(), watched.map((each) => each.state), groups, timers.timeouts]).toEqual([[1, 2], ["fulfilled", "fulfilled"], 1, 0]);
    });
  }

  test("while the database fails, journaled items wait, and the journal takes no new ones", () => {
    file.faults.push("locked", "locked");
    add(1);
    const first = watchPromise(commit.attempted());
    timers.fireImmediates();
    expect(first.state).toBe("fulfilled");
    timers.fireTimeouts();
    expect([commit.failure === undefined, reports.length, rows(), journal]).toEqual([false, 1, [], [1]]);
    add(2);
    const second = watchPromise(commit.durable());
    timers.fireImmediates();
    timers.fireTimeouts();
    expect([journal, second.state, reports.length]).toEqual([[1], "pending", 1]);
    timers.fireTimeouts();
    expect([rows(), second.state, reports.at(-1), journal, timers.timeouts]).toEqual([[1, 2], "fulfilled", undefined, [], 0]);
  });

  test("attempted() rejects where both the journal and the database fail", () => {
    journalState = "fails";
    file.faults.push("full");
    add(1);
    const [attempted, durable] = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
    timers.fireImmediates();
    expect([attempted.state, durable.state, rows()]).toEqual(["rejected", "pending", []]);
    timers.fireTimeouts();
    expect([durable.state, rows()]).toEqual(["fulfilled", [1]]);
  });
});

describe("with a journal that takes each item at once", () => {
  beforeEach(() => {
    journalState = "takes it";
    commit = open(true);
  });

  test("an item is durable at once, and goes to the database with the next ones", () => {
    add(1);
    expect([journal, commit.isDurable, rows(), timers.timeouts]).toEqual([[1], true, [], 1]);
    add(2);
    expect([journal, commit.isDurable, commit.waiting]).toEqual([[1, 2], true, 2]);
    timers.fireTimeouts();
    expect([rows(), attempts, journal, commit.isDurable]).toEqual([[1, 2], [{ items: 2, isRetry: false }], [], true]);
    timers.fireImmediates();
    expect([attempts.length, timers.timeouts]).toEqual([1, 0]);
  });

  for (const how of ["has no place", "fails"] as const) {
    test(`an item for which the journal ${how} is written at the end of the turn, with those before and after it`, () => {
      add(1);
      journalState = how;
      add(2);
      const watched = [watchPromise(commit.attempted()), watchPromise(commit.durable())];
      journalState = "takes it";
      add(3);
      expect([journal, commit.isDurable, watched.map((each) => each.state)]).toEqual([[1], false, ["pending", "pending"]]);
      journalState = how;
      timers.fireImmediates();
      expect([rows(), commit.isDurable, watched.map((each) => each.state), attempts.length]).toEqual([
        [1, 2, 3],
        true,
        ["fulfilled", "fulfilled"],
        1,
      ]);
      journalState = "takes it";
      add(4);
      expect([journal, commit.isDurable]).toEqual([[4], true]);
    });
  }

  test("while the database fails, the journal takes none, and durable() resolves with the retry", () => {
    file.faults.push("locked");
    add(1);
    timers.fireTimeouts();
    add(2);
    const durable = watchPromise(commit.durable());
    expect([journal, commit.isDurable, durable.state]).toEqual([[1], false, "pending"]);
    timers.fireTimeouts();
    expect([rows(), durable.state, commit.isDurable]).toEqual([[1, 2], "fulfilled", true]);
  });

  test("with concurrent requests, all items of a turn go to the journal together at its end", () => {
    isAlone = false;
    add(1, 2);
    const watched = watchPromise(commit.attempted());
    expect([journal, commit.isDurable, watched.state]).toEqual([[], false, "pending"]);
    timers.fireImmediates();
    expect([journal, commit.isDurable, watched.state, rows()]).toEqual([[1, 2], true, "fulfilled", []]);
    isAlone = true;
    add(3);
    expect([journal, commit.isDurable]).toEqual([[1, 2, 3], true]);
  });

  test("after stop() it takes no more items, and promises reject", () => {
    add(1);
    commit.stop();
    add(2);
    commit.runSlice();
    expect(rows()).toEqual([]);
    expect([journal, commit.isDurable, watchPromise(commit.attempted()).state, watchPromise(commit.durable()).state]).toEqual([
      [1],
      false,
      "rejected",
      "rejected",
    ]);
  });
});

describe("a write of other tables", () => {
  /** How often each write was made, in committed and uncommitted transactions. */
  let writes: number;
  const noteWrite = (): void => void writes++;
  beforeEach(() => {
    writes = 0;
    commit = open(true);
    journalState = "takes it";
  });

  test("is in one transaction with the items, and no item goes to the journal", () => {
    commit.addWrite(noteWrite);
    commit.add(1);
    expect([commit.isDurable, journal]).toEqual([false, []]);
    timers.fireImmediates();
    expect([commit.isDurable, rows(), writes, checkpoint.commits]).toEqual([true, [1], 1, 1]);
  });

  test("takes items with it that are in the journal already", () => {
    commit.add(1);
    expect(journal).toEqual([1]);
    commit.addWrite(noteWrite);
    timers.fireImmediates();
    expect([commit.isDurable, rows(), writes, journal]).toEqual([true, [1], 1, []]);
  });

  test("is made without items too", () => {
    commit.addWrite(noteWrite);
    timers.fireImmediates();
    expect([commit.isDurable, writes, groups]).toEqual([true, 1, 0]);
  });

  test("is made again with the retry of a transaction that failed", () => {
    commit.addWrite(noteWrite);
    commit.add(1);
    file.faults.push("fails");
    timers.fireImmediates();
    expect([commit.isDurable, rows(), writes]).toEqual([false, [], 1]);
    timers.fireTimeouts();
    expect([commit.isDurable, rows(), writes]).toEqual([true, [1], 2]);
  });

  test("waits for a checkpoint that runs", () => {
    checkpoint.isRunning = true;
    commit.addWrite(noteWrite);
    timers.fireImmediates();
    timers.fireTimeouts();
    expect([commit.isDurable, writes]).toEqual([false, 0]);
    checkpoint.isRunning = false;
    timers.fireTimeouts();
    expect([commit.isDurable, writes]).toEqual([true, 1]);
  });
});
