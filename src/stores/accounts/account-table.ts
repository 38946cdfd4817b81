import { accountSettings, type Account } from "../../access/account.ts";
import { restoreValues, storeValues } from "../../lib/schema/settings.ts";

/** A row of `accounts`. */
export interface AccountTable {
  id: string;
  name: string;
  created_at_ms: number;
  /** The settings as a JSON document: no query reads one of them. */
  settings: string;
  archived_at_ms: number | null;
}

export function toRow(account: Account): AccountTable {
  const { id, name, createdAtMs, archivedAtMs } = account;
  return { id, name, created_at_ms: createdAtMs, settings: storeValues(accountSettings, account), archived_at_ms: archivedAtMs };
}

export function fromRow({ id, name, created_at_ms: createdAtMs, settings, archived_at_ms: archivedAtMs }: AccountTable): Account {
  return { id, name, createdAtMs, ...restoreValues(accountSettings, settings), archivedAtMs };
}
