import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyFolder, ENTRY_IDS, makeKilledFolder } from "../../test/crash/killed-folder.ts";
import { NOW } from "../../test/support/money/ledger-samples.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openSqliteReader, openSqliteWriter } from "./sqlite/sqlite-database.ts";
import { filesIn, type FolderFiles } from "./integrity/folder-files.ts";
import { openStores } from "./open-stores.ts";
import { recoverFolder } from "./recover-folder.ts";

let killed: string;
let folder: string;
let files: FolderFiles;

beforeAll(async () => {
  killed = await makeKilledFolder();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-recovered-"));
  files = filesIn(folder);
  copyFolder(killed, folder);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => rmSync(killed, { recursive: true }));

/** Starts on the folder, shuts down cleanly, and returns the ids of the entries. The balances must equal the sums of the entries. */
async function start(): Promise<number[]> {
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder });
  const entries = await stores.ledgerRecords.entriesAfter(0, 100);
  const credit = entries.reduce((sum, each) => {
    if (each.kind === "grant") return sum + each.amountNanos;
    return each.kind === "settle" ? sum - each.amountNanos : sum;
  }, 0n);
  const { accounts } = await stores.ledgerRecords.balances();
  expect(accounts.get("acme") ?? { creditNanos: 0n }).toMatchObject({ creditNanos: credit });
  await stores.close();
  return entries.map(({ id }) => id);
}

async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "none",
    (error: Error) => error.message,
  );
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

test("changes nothing in a folder without damage", async () => {
  const before = readdirSync(folder).toSorted();
  expect(await recoverFolder(folder, true, NOW)).toEqual({ findings: [], losses: [], movedTo: undefined });
  const created = readdirSync(folder).filter((name) => !/^(lock|tollgate\.db-shm)/.test(name));
  expect(created.toSorted()).toEqual(before);
});

const CASES: readonly [name: string, damage: () => void, kept: number][] = [
  ["a bit in the WAL", () => flip(files.wal, 32 + 24 + 4120 * 20), -1],
  ["a bit in the first frame of the WAL", () => flip(files.wal, 32 + 24), 0],
  ["a bit in the header of the WAL", () => flip(files.wal, 18), 0],
  ["a WAL that was cut", () => truncateSync(files.wal, 32 + 4120 * 25), -1],
  ["a bit in the journal", () => flip(files.journal, 120), -1],
  ["a journal that was cut", () => truncateSync(files.journal, 1000), -1],
  ["a journal that is missing", () => rmSync(files.journal), 10],
  ["a database that is missing", () => rmSync(files.database), 0],
  ["a database that was cut", () => truncateSync(files.database, 5000), 0],
  ["a file that is not a database", () => writeFileSync(files.database, "?".repeat(20_000)), 0],
];

for (const [name, damage, kept] of CASES) {
  test(`${name}: changes nothing until the loss is accepted, then starts with all intact records`, async () => {
    damage();
    const before = readFileSync(existsSync(files.wal) ? files.wal : files.database);
    const found = await recoverFolder(folder, false, NOW);
    expect(found).toMatchObject({ movedTo: undefined });
    expect(found.findings).not.toEqual([]);
    expect(found.losses).not.toEqual([]);
    expect(readFileSync(existsSync(files.wal) ? files.wal : files.database)).toEqual(before);
    expect(await refusalOf(openStores({ ...STORE_OPTIONS, dataFolder: folder }))).toContain("is damaged");

    const { movedTo } = await recoverFolder(folder, true, NOW);
    expect(movedTo).toBe(join(folder, "damaged-2027-03-10T12-00-00-000Z"));
    const ids = await start();
    // The recovered entries, and the releases of the recovered holds that were open.
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    if (kept >= 0) expect(ids.length).toBeGreaterThanOrEqual(kept);
    if (kept === 0) expect(ids).toEqual([]);
    expect(await recoverFolder(folder, false, NOW)).toMatchObject({ findings: [] });
  });
}

test("keeps the intact entries of a damaged WAL, and copies of the damaged files", async () => {
  truncateSync(files.wal, 32 + 4120 * 25);
  const wal = readFileSync(files.wal);
  const { movedTo } = await recoverFolder(folder, true, NOW);
  const ids = await start();
  expect(ids.length).toBeGreaterThan(1);
  expect(ids.length).toBeLessThan(ENTRY_IDS.length);
  expect(readFileSync(join(movedTo!, "tollgate.db-wal"))).toEqual(wal);
  expect(readdirSync(movedTo!).toSorted()).toEqual(["ledger-journal", "tollgate.db", "tollgate.db-wal"]);
});

test("keeps the commits that a checkpoint copied before the WAL was damaged, and no older page of the WAL replaces them", async () => {
  const checkpointed = mkdtempSync(join(tmpdir(), "tollgate-checkpointed-"));
  copyFolder(killed, checkpointed);
  const file = openSqliteWriter(filesIn(checkpointed).database, "process");
  file.run("pragma wal_checkpoint(passive)");
  copyFolder(checkpointed, folder);
  file.close();
  rmSync(checkpointed, { recursive: true });
  flip(files.wal, 32 + 24 + 4120 * 20);
  expect(await recoverFolder(folder, true, NOW)).toMatchObject({ findings: [{ file: files.wal }] });
  // Including the releases of the three holds that were open.
  expect(await start()).toHaveLength(ENTRY_IDS.length + 3);
});

test("changes nothing while another process has the database open", async () => {
  truncateSync(files.journal, 1000);
  const reader = openSqliteReader(files.database);
  reader.query("select 1 from entries").get();
  expect(await refusalOf(recoverFolder(folder, true, NOW))).toContain("another process has");
  reader.close();
  expect(readFileSync(files.journal)).toHaveLength(1000);
  expect(readdirSync(folder).filter((name) => name.startsWith("damaged"))).toEqual([]);
});
