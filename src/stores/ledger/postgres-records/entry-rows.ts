import type { Entry } from "../../../money/ledger-entry.ts";
import { entryFromRow, type EntryRow } from "../tables/entry-table.ts";

/** Amounts are read as text, because the other integers become numbers. */
export const ENTRY_COLUMNS = `id, account_id, kind, amount_nanos::text as amount_nanos, at_ms, actor, reason, reference, request_id, hold_id,
  key_id, model, price_version, uncharged_nanos::text as uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens,
  completion_tokens, reasoning_tokens, provenance, upstream, upstream_model, cost_version, attempts,
  failed_attempts::text as failed_attempts, attribution, upstream_cost_nanos::text as upstream_cost_nanos`;

/** A row of `entries`, as the pool returns it. */
export type StoredEntry = Readonly<Record<keyof EntryRow, string | number | bigint | null>>;

export function toEntry(stored: StoredEntry): Entry {
  return entryFromRow(withNumbers(stored) as unknown as EntryRow);
}

/** Converts `bigint` to numbers, for columns whose integers fit into a JavaScript number. */
export function withNumbers<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [name, typeof value === "bigint" ? Number(value) : value]),
  ) as Row;
}
