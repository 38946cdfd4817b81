import { join } from "node:path";
import { Database } from "bun:sqlite";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { toRow } from "../../src/stores/keys/key-table.ts";
import { DEFAULT_ACCOUNT } from "../../src/access/account.ts";
import { issueKey } from "../../src/access/api-key.ts";
import { NO_CAPS, NO_LIMITS } from "../../src/money/limits.ts";
import type { Secret } from "../../src/lib/secret/secret.ts";

/** Writes keys directly into an unused data folder, because the platform API would take long. Returns their plaintexts. */
export async function issueKeys(dataFolder: string, count: number, hashSecret: Secret): Promise<string[]> {
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  await stores.close();
  const wanted = { accountId: DEFAULT_ACCOUNT, models: ["m", "gpt-*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
  const issued = Array.from({ length: count }, (_, at) => issueKey({ name: `key number ${at}`, ...wanted }, hashSecret, Date.now()));
  const file = new Database(join(dataFolder, "tollgate.db"), { strict: true });
  const columns = Object.keys(toRow(issued[0]!.record));
  const insert = file.prepare(`insert into keys (${columns.join(", ")}) values (${columns.map((name) => `$${name}`).join(", ")})`);
  file.transaction(() => issued.forEach(({ record }) => insert.run({ ...toRow(record) })))();
  file.close();
  return issued.map(({ key }) => key.reveal());
}
