import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { filesIn } from "../../src/stores/integrity/folder-files.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { makeAccount } from "../../src/access/account.ts";
import { ownChange } from "../../src/access/change.ts";
import { grant, hold, NOW, settlement } from "../support/money/ledger-samples.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";

/** The data of a killed gateway's folder: entries in the database, the last ones only in the journal, and changes in the audit log. */
export const ENTRY_IDS = Array.from({ length: 12 }, (_, at) => at + 1);
export const CHANGE_IDS = [1, 2, 3];

/** The data folder of a gateway at a time when it could have been killed. */
export async function makeKilledFolder(): Promise<string> {
  for (;;) {
    const killed = await killInTime();
    if (killed !== undefined) return killed;
  }
}

/** Undefined if the machine was so slow that the last entries were already written to the database. */
async function killInTime(): Promise<string | undefined> {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-running-"));
  const killed = mkdtempSync(join(tmpdir(), "tollgate-killed-"));
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  try {
    await stores.ledgerRecords.addCredit(grant(1_000_000n));
    for (const request of ["a", "b", "c", "d"]) {
      await stores.ledger.hold(hold(request, 5n));
      await stores.ledger.settle(request, settlement(2n));
      await stores.ledgerRecords.balances();
    }
    for (const id of ["acme", "globex"]) {
      const change = ownChange("account.create", { kind: "account", id }, { id }, NOW);
      await stores.accounts.update(id, () => ({ record: makeAccount(id, id, NOW), change }));
    }
    await stores.ledger.hold(hold("e", 5n));
    await stores.ledgerRecords.balances();
    await stores.ledger.hold(hold("f", 5n));
    await stores.ledger.hold(hold("g", 5n));
    if (stores.ledger.state().unwrittenEntries < 2) {
      rmSync(killed, { recursive: true });
      return undefined;
    }
    copyFolder(dataFolder, killed);
    // The start of a gateway creates this file after the database.
    writeFileSync(filesIn(killed).hashSecret, "secret\n", { mode: 0o600 });
  } finally {
    await stores.close();
    rmSync(dataFolder, { recursive: true });
  }
  return killed;
}

/** Copies the files that a start depends on. */
export function copyFolder(from: string, to: string): void {
  const { database, wal, journal, hashSecret } = filesIn(from);
  for (const path of [database, wal, journal, hashSecret]) if (existsSync(path)) copyFileSync(path, join(to, basename(path)));
}
