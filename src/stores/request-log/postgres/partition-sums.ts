import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { toSummed, type UnsummedRow } from "../statistics/day-sums.ts";
import { PendingSums } from "../statistics/pending-sums.ts";
import { RequestSums, type StoredSums } from "../statistics/request-sums.ts";
import { ALL, type Name } from "../statistics/sum-table.ts";
import { tablesOf } from "./day-tables.ts";

/** The sums of a day are written by one process at a time, under this advisory lock and the number of the day. */
const SUMS_LOCK = 0x746f6c6d;
/** Rows summed in one transaction. */
const ROWS_AT_ONCE = 4096;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The columns of a row that is summed. */
export const UNSUMMED = `row::float8 as row, ended_at_ms::float8 as ended_at_ms, account_id, model, outcome, code,
  duration_us::float8 as duration_us, first_token_us::float8 as first_token_us`;

/** A stored sum: of an account and a model, or of all. */
interface SeriesRow extends StoredSums {
  readonly account: string;
  readonly model: string;
  readonly quarter: number;
}

interface Series {
  readonly account: string;
  readonly model: string;
  readonly quarter: number;
  readonly sums: RequestSums;
}

/**
 * Adds rows to the sums of a day, in the order of their numbers. Writers do not: the sums of a batch would cost more than its rows, and those of
 * several processes would have to be merged in the database. Rows in no sum are few, and statistics read them one by one.
 */
export class PartitionSums {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Sums the next rows of a day. Whether there may be more. False also while another process does the same. */
  async advance(day: string): Promise<boolean> {
    return this.#pool.transaction(async (connection) => {
      const [, locks] = await Promise.all([
        // A process that stalls here is cut off, and another goes on.
        connection.query("set local idle_in_transaction_session_timeout = '10s'"),
        connection.query<{ is_mine: boolean }>("select pg_try_advisory_xact_lock($1, $2) as is_mine", [SUMS_LOCK, numberOf(day)]),
      ]);
      if (!locks[0]!.is_mine) return false;
      const rows = await nextRows(connection, day);
      if (rows.length === 0) return false;
      await addRows(connection, day, rows);
      await connection.query("update request_log_days set summed_row = $2 where day = $1", [day, rows.at(-1)!.row]);
      return rows.length === ROWS_AT_ONCE;
    });
  }
}

/** How an account or a model, or all of them, is stored: no name can be mistaken for all. */
export function storedName(name: Name): string {
  return name === ALL ? "" : `=${name}`;
}

/** All rows before them are committed: rows become visible in the order of their numbers. */
function nextRows(connection: PostgresConnection, day: string): Promise<readonly UnsummedRow[]> {
  return connection.query<UnsummedRow>(
    `select ${UNSUMMED} from ${tablesOf(day).requests}
      where row > (select coalesce(summed_row, -1) from request_log_days where day = $1) order by row limit ${ROWS_AT_ONCE}`,
    [day],
  );
}

async function addRows(connection: PostgresConnection, day: string, rows: readonly UnsummedRow[]): Promise<void> {
  const pending = new PendingSums();
  for (const row of rows) pending.add(toSummed(row));
  const all = [...pending.quarters()].flatMap(([quarter, sums]) =>
    [...sums.series()].map((each): Series => ({ ...each, quarter, account: storedName(each.account), model: storedName(each.model) })),
  );
  const table = tablesOf(day).sums;
  const keys = [all.map(({ account }) => account), all.map(({ model }) => model), all.map(({ quarter }) => quarter)];
  const stored = await connection.query<SeriesRow>(
    `select account, model, quarter, outcomes, codes, durations, first_tokens
      from unnest($1::text[], $2::text[], $3::integer[]) as summed (account, model, quarter) join ${table} using (account, model, quarter)`,
    keys,
  );
  const known = new Map(stored.map((row) => [keyOf(row), row]));
  for (const series of all) {
    const before = known.get(keyOf(series));
    if (before) series.sums.mergeStored(before);
  }
  const values = all.map(({ sums }) => sums.store());
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

function keyOf({ account, model, quarter }: Pick<SeriesRow, "account" | "model" | "quarter">): string {
  return JSON.stringify([account, model, quarter]);
}

function toBase64(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString("base64");
}

function numberOf(day: string): number {
  return Date.parse(day) / DAY_MS;
}
