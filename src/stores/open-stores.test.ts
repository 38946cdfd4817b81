import { expect, spyOn, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as SqliteFile } from "bun:sqlite";
import { grant } from "../../test/support/money/ledger-samples.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openStores } from "./open-stores.ts";

// Only the last connection checkpoints the WAL into the database: a connection that is left open would keep the last entries in the WAL.
test("a clean shutdown leaves all data in the database file, so that it can be copied", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-stores-"));
  const path = join(dataFolder, "tollgate.db");
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  await stores.ledgerRecords.addCredit(grant(7n));
  await stores.close();
  const copy = join(dataFolder, "copy.db");
  copyFileSync(path, copy);
  const file = new SqliteFile(copy);
  expect(file.query("select amount_nanos from entries").all()).toEqual([{ amount_nanos: 7 }]);
  file.close();
  rmSync(dataFolder, { recursive: true });
});

test("a first start checkpoints the WAL, so that a lost WAL loses nothing of it", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-stores-"));
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  const copy = join(dataFolder, "copy.db");
  copyFileSync(join(dataFolder, "tollgate.db"), copy);
  const file = new SqliteFile(copy);
  expect(file.query("select id from accounts").all()).toEqual([{ id: "default" }]);
  await stores.ledgerRecords.addCredit(grant(7n));
  await stores.checkpoint();
  copyFileSync(join(dataFolder, "tollgate.db"), copy);
  const later = new SqliteFile(copy);
  expect(later.query("select amount_nanos from entries").all()).toEqual([{ amount_nanos: 7 }]);
  for (const each of [file, later]) each.close();
  await stores.close();
  rmSync(dataFolder, { recursive: true });
});

test("writes wait at most 100 ms for a lock of another process, because responses in flight would wait too", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-stores-"));
  const run = spyOn(SqliteFile.prototype, "run");
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  await stores.catalog.declare("environment", () => ({ declared: { upstreams: [], catalog: new Map() }, announcements: [] }));
  const timeouts = run.mock.calls.map(([sql], at) => ({ file: run.mock.contexts[at], ms: /busy_timeout = (\d+)/.exec(sql)?.[1] }));
  const last = new Map(timeouts.filter(({ ms }) => ms !== undefined).map(({ file, ms }) => [file, Number(ms)]));
  const ofOpenFiles = [...last].filter(([file]) => isOpen(file as SqliteFile)).map(([, ms]) => ms);
  run.mockRestore();
  expect(ofOpenFiles.length).toBeGreaterThan(2);
  expect(Math.max(...ofOpenFiles)).toBeLessThan(1000);
  expect(Number(timeouts.findLast(({ ms }) => ms !== undefined && ms !== "0")!.ms)).toBeLessThan(1000);
  await stores.close();
  rmSync(dataFolder, { recursive: true });
});

function isOpen(file: SqliteFile): boolean {
  try {
    return file.query("select 1").get() !== null;
  } catch {
    return false;
  }
}
