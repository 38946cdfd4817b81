import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openStores } from "../../src/stores/open-stores.ts";
import { toRow } from "../../src/stores/keys/key-table.ts";
import { loadOrCreateSecret } from "../../src/stores/secret-file.ts";
import { makeAccount } from "../../src/access/account.ts";
import { issueKey, type KeyRecord } from "../../src/access/api-key.ts";
import { ownChange } from "../../src/access/change.ts";
import { NO_CAPS, NO_LIMITS, readRates } from "../../src/money/limits.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";

/** A marker in every text that a client chooses, and nowhere else. */
export const CANARY = "canary";

/** A client with its own key, and unique texts for everything. */
export interface Caller {
  readonly key: string;
  readonly keyId: string;
  readonly accountId: string;
  /** A text that no other client has. */
  readonly word: string;
}

export interface CallerSetup {
  readonly hasCredit: boolean;
  readonly isRateLimited: boolean;
}

/** Writes clients directly into an unused data folder, because the platform would take long. */
export async function makeCallers(dataFolder: string, setups: readonly CallerSetup[]): Promise<Caller[]> {
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  const hashSecret = loadOrCreateSecret(join(dataFolder, "hash-secret"));
  const accounts = { rich: `${CANARY}-account-with-credit`, poor: `${CANARY}-account-without` };
  for (const id of Object.values(accounts)) {
    const change = ownChange("account.create", { kind: "account", id }, { id }, 0);
    await stores.accounts.update(id, () => ({ record: makeAccount(id, `${CANARY} "${id}"`, 0), change }));
  }
  const credit = { kind: "grant", actor: "test", reason: CANARY, atMs: 0, reference: CANARY } as const;
  await stores.ledgerRecords.addCredit({ ...credit, accountId: accounts.rich, amountNanos: 1_000_000_000_000n });
  await stores.close();
  const issued = setups.map(({ hasCredit, isRateLimited }, at) => {
    const word = `${CANARY}-${at}-${Bun.hash(String(at)).toString(36)}`;
    const accountId = hasCredit ? accounts.rich : accounts.poor;
    const limits = isRateLimited ? readRates({ requests_per_minute: 1 }) : NO_LIMITS;
    const wanted = { name: `key of ${word}`, accountId, models: ["*"], limits, caps: NO_CAPS, expiresAtMs: null };
    const { key, record } = issueKey(wanted, hashSecret, Date.now());
    return { record, caller: { key: key.reveal(), keyId: record.id, accountId, word } };
  });
  insertKeys(
    join(dataFolder, "tollgate.db"),
    issued.map(({ record }) => record),
  );
  return issued.map(({ caller }) => caller);
}

function insertKeys(path: string, records: readonly KeyRecord[]): void {
  const file = new Database(path, { strict: true });
  const columns = Object.keys(toRow(records[0]!));
  const insert = file.prepare(`insert into keys (${columns.join(", ")}) values (${columns.map((name) => `$${name}`).join(", ")})`);
  file.transaction(() => records.forEach((record) => insert.run({ ...toRow(record) })))();
  insert.finalize();
  file.close();
}
