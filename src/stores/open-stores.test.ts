import { expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as SqliteFile } from "bun:sqlite";
import { grant } from "../../test/ledger-samples.ts";
import { STORE_OPTIONS } from "../../test/store-options.ts";
import { openStores } from "./open-stores.ts";

// Only the last connection takes the log over into the database: one that is left open would keep the last entries in it.
test("once they are closed everything is in the database itself, so that it can be copied", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-stores-"));
  const path = join(dataFolder, "tollgate.db");
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  await stores.ledger.addCredit(grant(7n));
  await stores.close();
  const copy = join(dataFolder, "copy.db");
  copyFileSync(path, copy);
  const file = new SqliteFile(copy);
  expect(file.query("select amount_nanos from entries").all()).toEqual([{ amount_nanos: 7 }]);
  file.close();
  rmSync(dataFolder, { recursive: true });
});

test("everything of a first start is in the database itself, so that a lost WAL does not lose it", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-stores-"));
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  const copy = join(dataFolder, "copy.db");
  copyFileSync(join(dataFolder, "tollgate.db"), copy);
  const file = new SqliteFile(copy);
  expect(file.query("select id from accounts").all()).toEqual([{ id: "default" }]);
  await stores.ledger.addCredit(grant(7n));
  await stores.checkpoint();
  copyFileSync(join(dataFolder, "tollgate.db"), copy);
  const later = new SqliteFile(copy);
  expect(later.query("select amount_nanos from entries").all()).toEqual([{ amount_nanos: 7 }]);
  for (const each of [file, later]) each.close();
  await stores.close();
  rmSync(dataFolder, { recursive: true });
});
