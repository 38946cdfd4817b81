import type { PostgresPool } from "../../postgres/postgres-pool.ts";

/** A range of ids, both ends included. */
export interface IdRange {
  readonly firstId: number;
  readonly lastId: number;
}

/**
 * Ranges of ids that together contain all entries from one moment to before another, in order, each of at most `size` ids. They contain
 * other entries too. Times have no index, because it would slow down every insert. The entries of a journal that was applied late have
 * older times than the entries around them.
 */
export async function* idRangesOf(on: Pick<PostgresPool, "query">, fromMs: number, toMs: number, size: number): AsyncGenerator<IdRange> {
  const rows = await on.query<{ first_id: bigint; last_id: bigint }>(
    `select first_id, last_id from entry_blocks where last_ms >= $1 and first_ms < $2
    union all select as_of_id + 1, last_id from usage_rolled, ledger_head where last_id > as_of_id order by first_id`,
    [fromMs, toMs],
  );
  for (const row of rows) {
    const [from, to] = [Number(row.first_id), Number(row.last_id)];
    for (let firstId = from; firstId <= to; firstId += size) yield { firstId, lastId: Math.min(to, firstId + size - 1) };
  }
}
