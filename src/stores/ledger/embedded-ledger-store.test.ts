import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database as SqliteFile } from "bun:sqlite";
import { NOW, answer, grant, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import { FaultyFile } from "../../../test/ledger-model/faulty-file.ts";
import { ManualTimers } from "../../../test/ledger-model/manual-timers.ts";
import { watchPromise } from "../../../test/ledger-model/watch-promise.ts";
import { recordPrice } from "../catalog/sql-catalog-store.ts";
import { openSqlite, openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { EmbeddedLedgerStore } from "./embedded-ledger-store.ts";
import { NO_CAPS } from "../../money/limits.ts";
import { Journal } from "./journal/journal.ts";
import { EmbeddedAuthority } from "./leases/embedded-authority.ts";
import { entriesToReplay, readJournal } from "./journal/read-journal.ts";
import { ledgerRecordStoreContract } from "./ledger-record-store.contract.ts";
import { ledgerStoreContract, type LedgerFixture, type LedgerPorts } from "./ledger-store.contract.ts";
import { ledgerUsageContract } from "./ledger-usage.contract.ts";
import { providerUseContract } from "./provider-use.contract.ts";

const FILE = "tollgate.db";

/** Makes a folder with an empty database. */
async function makeFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
  const database = openSqlite(join(folder, FILE));
  await migrate(database);
  await database.destroy();
  return folder;
}

const openFile = (folder: string): SqliteFile => openSqliteWriter(join(folder, FILE), "process");

const openStore = (file: SqliteFile, reports: (string | undefined)[] = []): EmbeddedLedgerStore =>
  new EmbeddedLedgerStore(file, { nowMs: () => NOW, report: (failure) => reports.push(failure) });

/** Opens a ledger as the gateway does. */
const openWithJournal = (folder: string, reports: (string | undefined)[] = []): EmbeddedLedgerStore =>
  new EmbeddedLedgerStore(openFile(folder), {
    journal: new Journal(join(folder, "ledger-journal"), "process"),
    nowMs: () => NOW,
    report: (failure) => reports.push(failure),
  });

/** Opens a ledger as the owner of gateway processes does. */
const openShared = (folder: string): EmbeddedLedgerStore => {
  const journal = new Journal(join(folder, "ledger-journal"), "process");
  const store = new EmbeddedLedgerStore(openFile(folder), { journal, nowMs: () => NOW, report: () => undefined, isShared: true });
  const authority = new EmbeddedAuthority(store, () => NO_CAPS);
  authority.start([]);
  store.share(authority);
  return store;
};

async function makeFixture(openIn: (folder: string) => EmbeddedLedgerStore = openWithJournal): Promise<LedgerFixture> {
  const folders = [await makeFolder()];
  const stores = [openIn(folders[0]!)];
  const next = (folder: string): LedgerPorts => {
    const store = openIn(folder);
    stores.push(store);
    return { store, records: store };
  };
  return {
    store: stores[0]!,
    records: stores[0]!,
    async recordPrices(prices) {
      const database = openSqlite(join(folders.at(-1)!, FILE));
      await database.write(...prices.map((price) => recordPrice(database, price)));
      await database.destroy();
    },
    async reopen() {
      await stores.pop()!.close();
      return next(folders.at(-1)!);
    },
    /** A killed process leaves exactly the files that are on the disk at this moment. The old process continues in its own folder. */
    async crash() {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
      cpSync(folders.at(-1)!, folder, { recursive: true });
      folders.push(folder);
      return next(folder);
    },
    async cleanUp() {
      for (const store of stores) await store.close();
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}

ledgerStoreContract("EmbeddedLedgerStore", makeFixture);
ledgerStoreContract("EmbeddedLedgerStore, shared with gateway processes", () => makeFixture(openShared));
ledgerRecordStoreContract("EmbeddedLedgerStore, shared with gateway processes", () => makeFixture(openShared));
ledgerRecordStoreContract("EmbeddedLedgerStore", makeFixture);
ledgerUsageContract("EmbeddedLedgerStore", makeFixture);
providerUseContract("EmbeddedLedgerStore", makeFixture);

let folder: string;
let file: SqliteFile;
beforeEach(async () => {
  folder = await makeFolder();
  file = openFile(folder);
});
afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

/** The number of entries in the database. */
function rows(): number {
  return file.query<{ count: number }, []>("select count(*) as count from entries").get()!.count;
}

/** Locks the database from another connection, as a backup or an operator's shell may do. */
function lock(): { release(): void } {
  const other = openFile(folder);
  other.run("begin immediate");
  return {
    release() {
      other.run("rollback");
      other.close();
    },
  };
}

test("while the database is locked, rejects holds, counts settlements, and writes all of them later", async () => {
  const reports: (string | undefined)[] = [];
  const store = openStore(file, reports);
  await store.addCredit(grant(100n));
  await store.hold(hold("r1", 10n));
  await store.hold(hold("r2", 10n));
  const other = lock();
  const refused = store.hold(hold("r3", 10n)).catch((error: unknown) => error);
  let isSettled = false;
  const settled = store.settle("r1", settlement(7n), answer("s")).then(() => (isSettled = true));
  expect(await refused).toMatchObject({ code: "overloaded", retryAfterSeconds: 1 });
  store.release("r2", "internal_error", NOW);
  expect(store.hold(hold("r4", 10n))).rejects.toMatchObject({ code: "overloaded" });
  expect(store.addCredit(grant(5n, { reference: "late" }))).rejects.toMatchObject({ code: "overloaded" });
  expect(store.balances()).rejects.toThrow("cannot record");
  expect(await store.findReply("s", NOW)).toBeUndefined();
  expect([store.balanceOf("acme").creditNanos, store.balanceOf("acme").heldNanos]).toEqual([93n, 0n]);
  expect([isSettled, reports.length]).toEqual([false, 1]);

  other.release();
  await settled;
  expect([reports.length, reports[1]]).toEqual([2, undefined]);
  expect((await store.findReply("s", NOW))?.requestId).toBe("r1");
  expect((await store.findRequest("r3"))?.closing).toMatchObject({ kind: "release", reason: "the hold could not be recorded" });
  expect(await store.findRequest("r4")).toBeUndefined();
  await store.close();
});

/** Runs a test with manual timers: on a busy machine a timer could write to the database before the test has looked. */
function byHand(play: (timers: ManualTimers) => void): void {
  const timers = new ManualTimers();
  timers.install();
  try {
    play(timers);
  } finally {
    timers.uninstall();
  }
}

test("journals the hold and settlement of a lone request at once, and confirms the hold at the end of the turn", async () => {
  const store = openWithJournal(folder);
  await store.addCredit(grant(100n));
  const left = (writtenId: number): string[] =>
    entriesToReplay(readJournal(join(folder, "ledger-journal")), writtenId).map(({ kind, requestId }) => `${kind} ${requestId}`);
  byHand((timers) => {
    const held = watchPromise(store.hold(hold("r1", 10n)));
    expect([left(1), held.state]).toEqual([["hold r1"], "pending"]);
    timers.fireImmediates();
    expect(held.state).toBe("fulfilled");
    const settled = watchPromise(store.settle("r1", settlement(7n)));
    expect([left(1), settled.state]).toEqual([["hold r1", "settle r1"], "fulfilled"]);
    void store.hold(hold("r2", 10n));
    timers.fireImmediates();
    store.release("r2", "upstream_error", NOW);
    expect(left(1).slice(2)).toEqual(["hold r2", "release r2"]);
    expect(rows()).toBe(1);
    // The next entries overwrite the journal once its entries are in the database.
    void store.entriesAfter(0, 9);
    expect(rows()).toBe(5);
    void store.hold(hold("r3", 10n));
    expect([left(1), left(5)]).toEqual([[], ["hold r3"]]);
  });
  await store.close();
});

test("writes journaled entries to the database in a background slice, or 10 ms later", async () => {
  const store = openWithJournal(folder);
  byHand((timers) => {
    void store.hold(hold("r1", 1n));
    void store.settle("r1", settlement(1n));
    expect([store.backgroundTask.waiting, rows()]).toEqual([2, 0]);
    store.backgroundTask.runSlice(16);
    expect([store.backgroundTask.waiting, rows()]).toEqual([0, 2]);
    for (const id of ["r2", "r3"]) void store.hold(hold(id, 1n));
    for (const id of ["r2", "r3"]) void store.settle(id, settlement(1n));
    timers.fireImmediates();
    expect([store.backgroundTask.waiting, rows()]).toEqual([4, 2]);
    timers.fireTimeouts();
    expect([store.backgroundTask.waiting, rows()]).toEqual([0, 6]);
  });
  await store.close();
});

test("writes a settlement with its idempotent reply to the database directly, with later entries of the turn", async () => {
  const store = openWithJournal(folder);
  await store.hold(hold("r1", 10n));
  const settled = store.settle("r1", settlement(7n), answer("s"));
  const next = store.hold(hold("r2", 10n));
  expect(entriesToReplay(readJournal(join(folder, "ledger-journal")), 0)).toHaveLength(1);
  await Promise.all([settled, next]);
  expect(rows()).toBe(3);
  expect(file.query("select count(*) as count from answers").get()).toEqual({ count: 1 });
  await store.close();
});

test("an entry that does not fit into the journal is in the database when its promise resolves", async () => {
  const store = openWithJournal(folder);
  const reason = "x".repeat(30_000);
  let [requests, held] = [0, Promise.resolve()];
  for (;;) {
    held = store.hold(hold(`r${requests}`, 1n, { reason }));
    if (entriesToReplay(readJournal(join(folder, "ledger-journal")), 0).length === requests * 2) break;
    store.release(`r${requests++}`, "upstream_error", NOW);
  }
  expect(requests).toBeGreaterThan(3);
  await held;
  expect(rows()).toBe(requests * 2 + 1);
  await store.close();
});

test("a short lock of the database delays no request: the journal has all entries, and a crash loses none", async () => {
  const reports: (string | undefined)[] = [];
  const store = openWithJournal(folder, reports);
  await store.addCredit(grant(100n));
  await store.hold(hold("r1", 10n));
  expect(await store.entriesAfter(0, 9)).toHaveLength(2);
  const other = lock();
  // On a busy machine the timer of the next write to the database could fire first, and fail.
  byHand((timers) => {
    const both = [watchPromise(store.hold(hold("r2", 10n))), watchPromise(store.settle("r1", settlement(7n)))];
    timers.fireImmediates();
    expect(both.map(({ state }) => state)).toEqual(["fulfilled", "fulfilled"]);
  });
  const copy = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
  cpSync(folder, copy, { recursive: true });
  other.release();

  const crashed = openWithJournal(copy);
  expect((await crashed.findRequest("r1"))?.closing).toMatchObject({ kind: "settle", amountNanos: 7n, actor: "key-1" });
  expect((await crashed.findRequest("r2"))?.closing).toMatchObject({ kind: "release", actor: "recovery" });
  expect(crashed.balanceOf("acme")).toMatchObject({ creditNanos: 93n, heldNanos: 0n });
  await crashed.close();
  rmSync(copy, { recursive: true });
  expect((await store.findRequest("r1"))?.closing).toMatchObject({ kind: "settle" });
  expect((await store.entriesAfter(0, 9)).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  await store.close();
});

test("rejects holds while the database is locked for longer, despite the journal", async () => {
  const reports: (string | undefined)[] = [];
  const store = openWithJournal(folder, reports);
  await store.addCredit(grant(100n));
  const other = lock();
  await store.hold(hold("r1", 10n));
  while (reports.length === 0) await Bun.sleep(2);
  expect(store.hold(hold("r2", 10n))).rejects.toMatchObject({ code: "overloaded" });
  const settled = store.settle("r1", settlement(7n));
  other.release();
  await settled;
  expect([reports.length, reports[1]]).toEqual([2, undefined]);
  await store.close();
});

for (const fault of ["fails", "full", "rolled back", "kept"] as const) {
  test(`a charge and its answer are written once, both of them, though a commit ${fault === "kept" ? "fails and was done" : `meets: ${fault}`}`, async () => {
    const faulty = new FaultyFile(file);
    const store = openStore(faulty.asFile);
    await store.hold(hold("r1", 10n));
    await store.hold(hold("r2", 10n));
    faulty.faults.push(fault, fault);
    await Promise.all([store.settle("r1", settlement(7n), answer("s1")), store.settle("r2", settlement(7n), answer("s2"))]);
    expect((await store.entriesAfter(2, 9)).map(({ kind, actor }) => `${kind} ${actor}`)).toEqual(["settle key-1", "settle key-1"]);
    const replies = await Promise.all(["s1", "s2"].map((scope) => store.findReply(scope, NOW)));
    expect(replies.map((reply) => reply?.requestId)).toEqual(["r1", "r2"]);
    expect(file.query("select count(*) as count from answers").get()).toEqual({ count: 2 });
    await store.close();
  });
}

test("a clean shutdown waits for a locked database", async () => {
  const store = openStore(file);
  await store.hold(hold("r1", 10n));
  const other = lock();
  const settled = store.settle("r1", settlement(7n));
  expect(store.balances()).rejects.toThrow("cannot record");
  const closed = store.close();
  setTimeout(() => other.release(), 30);
  await Promise.all([settled, closed]);
  file = openFile(folder);
  const reopened = openStore(file);
  expect((await reopened.findRequest("r1"))?.closing).toMatchObject({ kind: "settle", amountNanos: 7n });
  await reopened.close();
});

test("close reports unwritten entries where the database cannot be written, and the next start has all durable ones", async () => {
  const store = openWithJournal(folder);
  await store.addCredit(grant(100n));
  await store.hold(hold("r1", 10n));
  await store.hold(hold("r2", 10n));
  store.catchUp();
  const other = lock();
  await store.settle("r1", settlement(7n));
  const unanswered = Promise.race([store.settle("r2", settlement(7n), answer("s2")), Promise.resolve("waits")]);
  const words =
    "the database cannot be written (database is locked): 1 entry is in ledger-journal, and the next start writes it to the database; " +
    "1 entry is in no file: no caller received a success, and the next start closes the holds of their requests";
  const problem = await store.close(AbortSignal.abort()).catch((error: Error) => error.message);
  expect(problem).toBe(words);
  expect(await unanswered).toBe("waits");
  other.release();
  const reopened = openWithJournal(folder);
  expect((await reopened.findRequest("r1"))?.closing).toMatchObject({ kind: "settle", amountNanos: 7n });
  expect((await reopened.findRequest("r2"))?.closing).toMatchObject({ kind: "release", actor: "recovery" });
  expect(reopened.balanceOf("acme").creditNanos).toBe(93n);
  await reopened.close();
});

/** Adds this number of entries, half of them charges of 2. */
async function spend(store: EmbeddedLedgerStore, entries: number, names: string): Promise<void> {
  const requests = Array.from({ length: entries / 2 }, (_, at) => `${names}${at}`);
  await Promise.all(requests.map((id) => store.hold(hold(id, 3n))));
  await Promise.all(requests.map((id) => store.settle(id, settlement(2n))));
}

test("a failed write of tallies loses nothing", async () => {
  const faulty = new FaultyFile(file);
  const store = openStore(faulty.asFile);
  await store.addCredit(grant(1_000_000n));
  faulty.faultBeside = "fails";
  await spend(store, 5000, "r");
  expect(file.query("select * from tallied").get()).toBeNull();
  faulty.faultBeside = undefined;
  await store.hold(hold("other", 3n, { keyId: "key-2" }));
  expect(file.query("select as_of_id from tallied").get()).toEqual({ as_of_id: 5002 });

  const copy = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
  cpSync(folder, copy, { recursive: true });
  await store.close();
  const reopened = openStore(openFile(copy));
  expect(reopened.balanceOf("acme")).toMatchObject({ creditNanos: 1_000_000n - 5000n, heldNanos: 0n });
  expect(reopened.spendingOf("key", "key-1", NOW)).toMatchObject({ dayNanos: 5000n, totalNanos: 5000n });
  await reopened.close();
  rmSync(copy, { recursive: true });
});

test("writes tallies every 4,096 entries, and a start reads no older entries except for open holds", async () => {
  const store = openStore(file);
  await store.addCredit(grant(1_000_000n));
  await store.hold(hold("long", 5n));
  await spend(store, 2 * 4096, "r");
  await store.hold(hold("last", 1n));

  const copy = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
  cpSync(folder, copy, { recursive: true });
  await store.close();
  const copied = openFile(copy);
  const tallied = copied.query<{ as_of_id: number; oldest_open_id: number }, []>("select as_of_id, oldest_open_id from tallied").get()!;
  expect(tallied.as_of_id).toBeGreaterThan(4096);
  expect(tallied.oldest_open_id).toBe(2);
  // If the entries were added up once more, or not at all, the sums would now be wrong.
  copied.run("delete from entries where id < 2");
  const reopened = openStore(copied);
  expect(reopened.balanceOf("acme")).toMatchObject({ creditNanos: 1_000_000n - 8192n, heldNanos: 0n });
  expect(reopened.spendingOf("key", "key-1", NOW)).toMatchObject({ dayNanos: 8192n, monthNanos: 8192n, totalNanos: 8192n });
  expect((await reopened.entriesAfter(2 * 4096 + 3, 9)).map(({ kind }) => kind)).toEqual(["release", "release"]);
  await reopened.close();
  rmSync(copy, { recursive: true });
});
