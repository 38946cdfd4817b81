import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import { ALL, PendingSums, type Name } from "../statistics/pending-sums.ts";
import type { RequestSums, StoredSums } from "../statistics/request-sums.ts";
import { underLock } from "./log-partitions.ts";
import { selectUnsummed, toSummed, type UnsummedRow } from "../statistics/unsummed-rows.ts";

/** An advisory lock, used with the number of the day, under which one process at a time writes the sums of a day. */
const SUMS_LOCK = 0x746f6c6d;
/** Rows summed in one transaction. With more rows, the same sum is written less often. */
export const SUMMED_AT_ONCE = 16_384;
/** Rows read at once, and sums written at once, which blocks the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 2048;
const SERIES_AT_ONCE = 200;
/** The maximum number of pairs of account and model in one transaction. It is bounded because any key can invent names of models. */
const MAX_PENDING = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The sums of an account and a model, or of all of them, in a quarter hour. */
interface Series {
  readonly account: string;
  readonly model: string;
  readonly quarter: number;
  readonly sums: RequestSums;
}

/**
 * Adds rows to the sums of a day, in the order of their numbers. Writers do not add rows to sums: the sums of a batch would cost more than
 * its rows, and the sums of several processes would have to be merged. Few rows are in no sum, and statistics read them one by one.
 */
export class PartitionSums {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Sums the next rows of a day. Returns whether there may be more rows. Also returns false while another process is summing them. */
  async advance(day: string): Promise<boolean> {
    const hasMore = await underLock(this.#pool, [SUMS_LOCK, Date.parse(day) / DAY_MS], async (connection) => {
      const { pending, lastRow, isAll } = await sumNext(connection, day);
      if (lastRow === undefined) return false;
      for (const group of inGroups(pending)) await addStored(connection, day, group);
      await connection.query("update request_log_days set summed_row = $2 where day = $1", [day, lastRow]);
      return !isAll;
    });
    return hasMore ?? false;
  }
}

/** The stored form of an account, a model, or all of them: no name can be mistaken for all. */
export function storedName(name: Name): string {
  return name === ALL ? "" : `=${storable(name)}`;
}

/** The sums of the next rows, the last of these rows, and whether no more rows follow. */
async function sumNext(
  connection: PostgresConnection,
  day: string,
): Promise<{ pending: PendingSums; lastRow: number | undefined; isAll: boolean }> {
  const [summed] = await connection.query<{ row: number | null }>("select summed_row::float8 as row from request_log_days where day = $1", [
    day,
  ]);
  const pending = new PendingSums();
  let lastRow: number | undefined;
  for (let count = 0; count < SUMMED_AT_ONCE && pending.size < MAX_PENDING; count += ROWS_AT_ONCE) {
    // All earlier rows are committed: rows become visible in the order of their numbers.
    const rows = await connection.query<UnsummedRow>(
      `${selectUnsummed(POSTGRES, POSTGRES.tablesOf(day).requests)} where row > $1 order by requests.row limit ${ROWS_AT_ONCE}`,
      [lastRow ?? summed?.row ?? -1],
    );
    for (const row of rows) pending.add(toSummed(row));
    lastRow = rows.at(-1)?.row ?? lastRow;
    if (rows.length < ROWS_AT_ONCE) return { pending, lastRow, isAll: true };
  }
  return { pending, lastRow, isAll: false };
}

/** The sums in their stored form, in groups: each sum is encoded just before it is written. */
function* inGroups(pending: PendingSums): Generator<readonly Series[], void> {
  let group: Series[] = [];
  for (const [quarter, all] of pending.quarters()) {
    for (const { account, model, sums } of all.series()) {
      group.push({ account: storedName(account), model: storedName(model), quarter, sums });
      if (group.length < SERIES_AT_ONCE) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** Adds sums to the stored sums. */
async function addStored(connection: PostgresConnection, day: string, group: readonly Series[]): Promise<void> {
  const table = POSTGRES.tablesOf(day).sums;
  const keys = [group.map(({ account }) => account), group.map(({ model }) => model), group.map(({ quarter }) => quarter)];
  // `offset 0` forces each sum to be read by its primary key, whatever the planner estimates.
  const stored = await connection.query<StoredSums & { readonly place: number }>(
    `select place::integer as place, stored.* from unnest($1::text[], $2::text[], $3::integer[]) with ordinality
      as summed (account, model, quarter, place) join lateral (select * from ${table}
      where account = summed.account and model = summed.model and quarter = summed.quarter offset 0) as stored on true`,
    keys,
  );
  for (const row of stored) group[row.place - 1]!.sums.mergeStored(row);
  const values = group.map(({ sums }) => sums.store());
  await connection.query(
    `insert into ${table} select account, model, quarter, outcomes, codes, decode(durations, 'base64'), decode(first_tokens, 'base64')
      from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[])
        as summed (account, model, quarter, outcomes, codes, durations, first_tokens)
      on conflict (account, model, quarter) do update set outcomes = excluded.outcomes, codes = excluded.codes,
        durations = excluded.durations, first_tokens = excluded.first_tokens`,
    [
      ...keys,
      values.map(({ outcomes }) => outcomes),
      values.map(({ codes }) => codes),
      values.map(({ durations }) => toBase64(durations)),
      values.map(({ first_tokens: firstTokens }) => toBase64(firstTokens)),
    ],
  );
}

function toBase64(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString("base64");
}
