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
