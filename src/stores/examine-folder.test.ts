import * as fs from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANGE_IDS, copyFolder, ENTRY_IDS, makeKilledFolder } from "../../test/crash/killed-folder.ts";
import { isLong } from "../../test/support/long.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { examineFolder } from "./examine-folder.ts";
import { filesIn, sizeOf, type FolderFiles } from "./integrity/folder-files.ts";
import { Journal } from "./ledger/journal/journal.ts";
import { writeMark } from "./ledger/journal/journal-layout.ts";
import { entriesToReplay, readJournal } from "./ledger/journal/read-journal.ts";
import { openStores } from "./open-stores.ts";

let killed: string;
let folder: string;
let files: FolderFiles;

beforeAll(async () => {
  killed = await makeKilledFolder();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-damaged-"));
  files = filesIn(folder);
  copyFolder(killed, folder);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => rmSync(killed, { recursive: true }));

/** The ids that a start reads: entries and changes in the database, and the subsequent entries in the journal. */
function idsAfterStart(): { entries: number[]; changes: number[] } {
  const file = new SqliteFile(files.database, { readonly: true });
  const idsOf = (table: string): number[] =>
    file
      .query<{ id: number }, []>(`select id from ${table} order by id`)
      .all()
      .map(({ id }) => id);
  const entries = idsOf("entries");
  const changes = idsOf("changes");
  file.close();
  return { entries: [...entries, ...entriesToReplay(readJournal(files.journal), entries.at(-1) ?? 0).map(({ id }) => id)], changes };
}

/** Starts on the folder. Returns the error message, or the ids of the entries. */
async function start(): Promise<string | number[]> {
  try {
    const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder });
    const entries = await stores.ledgerRecords.entriesAfter(0, 100);
    await stores.close();
    return entries.map(({ id }) => id);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Asserts that a start on a damaged folder fails or loses nothing. */
function expectNoSilentLoss(what: string): void {
  if (examineFolder(folder).findings.length > 0) return;
  const { entries, changes } = idsAfterStart();
  expect([what, entries, changes]).toEqual([what, ENTRY_IDS, CHANGE_IDS]);
}

test("recovers every entry after kill -9, and after a clean shutdown", async () => {
  expect(examineFolder(folder)).toMatchObject({ findings: [] });
  expect(idsAfterStart()).toEqual({ entries: ENTRY_IDS, changes: CHANGE_IDS });
  // The start releases the open holds.
  const ids = [...ENTRY_IDS, 13, 14, 15];
  expect(await start()).toEqual(ids);
  expect([existsSync(files.wal), statSync(files.journal).size]).toEqual([false, 72]);
  expect(await start()).toEqual(ids);
});

describe("a start either fails or has every entry and every change, after a fault in", () => {
  const MAX_OFFSETS = isLong ? 3000 : 100;

  /** Up to `MAX_OFFSETS` offsets of a file, evenly spaced from its beginning to its end. */
  function placesIn(bytes: number): number[] {
    const count = Math.min(bytes, MAX_OFFSETS);
    return Array.from({ length: count }, (_, at) => Math.floor((at / count) * bytes));
  }

  for (const name of ["journal", "wal"] as const) {
    test(`one bit of the ${name}`, () => {
      const whole = readFileSync(files[name]);
      const first = Array.from({ length: 150 }, (_, at) => at);
      for (const at of [...first, ...(name === "wal" ? headsOfFrames(whole) : []), ...placesIn(whole.length)]) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1 << (at % 8);
        writeFileSync(files[name], changed);
        expectNoSilentLoss(`bit ${at % 8} of byte ${at}`);
      }
    });

    test(`the end of the ${name}`, () => {
      const whole = readFileSync(files[name]);
      for (const length of [...placesIn(whole.length), whole.length - 1, 1, 31, 32, 33, 71, 72, 73, 32 + 4120, 32 + 2 * 4120]) {
        writeFileSync(files[name], whole.subarray(0, length));
        expectNoSilentLoss(`cut at byte ${length}`);
      }
    });

    test(`the whole ${name}`, () => {
      rmSync(files[name]);
      expect(examineFolder(folder).findings).not.toEqual([]);
    });
  }
});

/** For each frame, the offsets of a byte of its commit field, salts, checksum and page. */
function headsOfFrames(wal: Buffer): number[] {
  const frames = Array.from({ length: Math.floor((wal.length - 32) / 4120) }, (_, at) => 32 + at * 4120);
  return frames.flatMap((at) => [7, 9, 18, 100].map((each) => at + each));
}

describe("a start reports the damage and the lost records of", () => {
  test("a bit in the middle of the WAL", async () => {
    const wal = readFileSync(files.wal);
    wal[32 + 24 + 50]! ^= 4;
    writeFileSync(files.wal, wal);
    const words = await start();
    expect(words).toContain(`the data in ${folder} is damaged`);
    expect(words).toMatch(/tollgate\.db-wal: frame 1, at byte 32, does not match its checksum, and \d+ commits follow it\./);
    expect(words).toMatch(/Lost: 12 ledger entries \(1 to 12\)\. 2 audit log changes \(2 to 3\), recorded after .*Z\./);
    expect(words).toContain("npx tollgate recover --accept-loss");
    // Nothing was changed, so the next start reports the same.
    expect(await start()).toEqual(words);
  });

  test("a WAL without its last commits", async () => {
    truncateSync(files.wal, 32 + 4120 * 12);
    expect(await start()).toMatch(
      /tollgate\.db: it ends at ledger entry \d+ and change \d, but ledger-journal proves entries up to 12 and changes up to 3\./,
    );
  });

  test("one entry and one change that the journal's mark alone knows", async () => {
    const journal = readFileSync(files.journal);
    writeMark(journal, 0, { entryId: 13, changeId: 4 });
    writeFileSync(files.journal, journal);
    const words = await start();
    expect(words).toMatch(/Lost: 1 ledger entry \(13\), recorded after \S+Z\. 1 audit log change \(4\), recorded after \S+Z\.\n/);
  });

  test("a journal ahead of the database, with a gap", async () => {
    const entry = readJournal(files.journal).items.at(-1)!;
    const journal = new Journal(files.journal, "process");
    journal.begin({ entryId: 10, changeId: 3 });
    journal.append([{ ...entry, id: 20 }]);
    journal.close();
    expect(await start()).toContain("Lost: 10 ledger entries (11 to 20), recorded after 2027-03-10T12:00:00.000Z.");
  });

  test("an older database instead of a newer one, after a clean shutdown", async () => {
    await start();
    copyFileSync(filesIn(killed).database, files.database);
    const words = await start();
    expect(words).toContain("it ends at ledger entry 0 and change 1, but ledger-journal proves entries up to 15 and changes up to 3.");
    expect(words).toContain("Lost: 15 ledger entries (1 to 15).");
  });

  for (const [name, damage] of [
    ["missing", () => rmSync(files.database)],
    ["empty", () => truncateSync(files.database, 0)],
  ] as const) {
    test(`a database that is ${name}`, async () => {
      rmSync(files.wal);
      rmSync(files.journal);
      damage();
      const words = await start();
      expect(words).toContain(`tollgate.db: it is ${name}, although files exist that are only created after it.`);
      expect(words).toContain("Lost: every key, account and ledger entry");
    });
  }

  test("a database that is missing beside the check of a secret that no file has", async () => {
    renameSync(files.hashSecret, files.hashSecretCheck);
    for (const path of [files.wal, files.journal, files.database]) rmSync(path);
    expect(await start()).toContain("tollgate.db: it is missing, although files exist that are only created after it.");
  });

  test("a truncated database, and a file that is not a database", async () => {
    await start();
    truncateSync(files.database, 40_000);
    expect(await start()).toMatch(/tollgate\.db: it ends at byte 40000, before page 10 of \d+\./);
    writeFileSync(files.database, "what is this?".repeat(1000));
    expect(await start()).toContain("tollgate.db: it is not a SQLite database.");
  });

  test("a database with a page that SQLite cannot read", async () => {
    await start();
    const bytes = readFileSync(files.database);
    bytes.fill(0x55, 4096, bytes.length);
    writeFileSync(files.database, bytes);
    expect(await start()).toMatch(/tollgate\.db: it cannot be read: /);
  });

  test("such a database with a WAL, without a copy of it: it may be larger than the disk of temporary files", async () => {
    const bytes = readFileSync(files.database);
    bytes.fill(0x55, 4096, bytes.length);
    writeFileSync(files.database, bytes);
    const copies = spyOn(fs, "copyFileSync").mockImplementation(() => {
      throw new Error("ENOSPC: no space left on device");
    });
    const words = await start();
    copies.mockRestore();
    expect(words).toMatch(/tollgate\.db: it cannot be read: /);
  });
});

test("reads the WAL frame by frame: a long-lived reader lets it grow beyond the available memory", () => {
  const whole = spyOn(fs, "readFileSync");
  const parts = spyOn(fs, "readSync");
  expect(examineFolder(folder).findings).toEqual([]);
  const lengths = parts.mock.calls.map((call) => Number((call as unknown[])[3]));
  const wholly = whole.mock.calls.map(([path]) => path);
  for (const spy of [whole, parts]) spy.mockRestore();
  expect(wholly).not.toContain(files.wal);
  expect([lengths.length > 10, Math.max(...lengths) < 100_000]).toEqual([true, true]);
});

test("accepts a transaction larger than SQLite's cache that was killed before its checksums were corrected", async () => {
  const reader = new SqliteFile(files.database, { readonly: true });
  reader.query("select 1 from entries").all();
  const file = new SqliteFile(files.database);
  const before = readFileSync(files.wal);
  file.run(
    "create table large as with recursive n (n) as (select 1 union all select n + 1 from n limit 50) select randomblob(4000) from n",
  );
  file.close();
  reader.close();
  const wal = readFileSync(files.wal);
  const firstFrame = Math.floor((wal.findIndex((byte, at) => byte !== before[at]) - 32) / 4120);
  wal.fill(0, 32 + firstFrame * 4120 + 16, 32 + firstFrame * 4120 + 24);
  writeFileSync(files.wal, wal);
  expect(examineFolder(folder).findings).toEqual([]);
  expect(await start()).toEqual([...ENTRY_IDS, 13, 14, 15]);
});

test("accepts a WAL without a journal where none was begun", async () => {
  const reader = new SqliteFile(files.database, { readonly: true });
  reader.query("select 1 from entries").all();
  const file = new SqliteFile(files.database);
  file.run("pragma application_id = 0");
  file.close();
  reader.close();
  for (const empty of [() => truncateSync(files.journal), () => rmSync(files.journal)]) {
    empty();
    expect([sizeOf(files.wal) > 0, examineFolder(folder).findings]).toEqual([true, []]);
  }
  expect(await start()).toEqual(expect.arrayContaining(ENTRY_IDS.slice(0, 10)));
});

test("starts again after a first start was killed before the database was in WAL mode", async () => {
  const first = join(folder, "first.db");
  const file = new SqliteFile(first);
  file.run("pragma journal_mode = delete");
  // A transaction large enough that SQLite writes to the file before the commit.
  file.run("pragma cache_size = 1");
  file.run("begin");
  file.run(
    "create table large as with recursive n (n) as (select 1 union all select n + 1 from n limit 50) select randomblob(4000) from n",
  );
  for (const path of [files.wal, files.journal, files.hashSecret]) rmSync(path);
  copyFileSync(first, files.database);
  copyFileSync(`${first}-journal`, `${files.database}-journal`);
  file.close();
  expect([sizeOf(files.database) > 0, sizeOf(`${files.database}-journal`) > 0]).toEqual([true, true]);
  expect(await start()).toEqual([]);
});

test("starts with the database file alone, as after a clean shutdown or from SQLite's backup API", async () => {
  await start();
  rmSync(files.journal);
  expect(await start()).toEqual([...ENTRY_IDS, 13, 14, 15]);
});
