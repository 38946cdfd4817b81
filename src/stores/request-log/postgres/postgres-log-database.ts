import { writeAttribution } from "../../../money/attribution.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { unavailable, type LogDatabase } from "../log-database.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import type { ErasedRequest } from "../request-log-store.ts";
import { chunkOf, uuidOf } from "../request-rows.ts";
import type { Retention } from "../retention.ts";
import type { Intervals, SumRow } from "../statistics/intervals.ts";
import { ALL } from "../statistics/pending-sums.ts";
import { selectUnsummed, toSummed, type UnsummedRow } from "../statistics/unsummed-rows.ts";
import { isMissingTable, type LogPartitions, type Partition } from "./log-partitions.ts";
import { storedName } from "./partition-sums.ts";

/** Rows read at once, which blocks the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 2048;

/** Reads the log. A day can be dropped between any two statements. */
export class PostgresLogDatabase implements LogDatabase {
  readonly dialect = POSTGRES;
  readonly chunksAtOnce = 32;
  readonly #pool: PostgresPool;
  readonly #partitions: LogPartitions;
  readonly #retention: Pick<Retention, "lastDay">;

  constructor(pool: PostgresPool, partitions: LogPartitions, retention: Pick<Retention, "lastDay">) {
    this.#pool = pool;
    this.#partitions = partitions;
    this.#retention = retention;
  }

  async days(): Promise<readonly string[]> {
    return (await this.#all()).map(({ day }) => day);
  }

  async oldestDay(): Promise<string | undefined> {
    return (await this.#all()).find(({ lastRow }) => lastRow !== null)?.day;
  }

  async query<Row>(_: string, sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#read(() => this.#pool.query<Row>(sql, parameters))) ?? [];
  }

  /** Reads in one snapshot, so that a row that is summed meanwhile counts once. If a statement fails, nothing is added. */
  async addSums(day: string, intervals: Intervals): Promise<void> {
    const sums = await this.#read(() =>
      this.#pool.transaction(async (connection) => {
        const [, stored, unsummed] = await Promise.all([
          connection.query("set transaction isolation level repeatable read, read only"),
          readStored(connection, day, intervals),
          readUnsummed(connection, day, intervals),
        ]);
        return { stored, unsummed };
      }),
    );
    if (!sums) return;
    intervals.addStored(sums.stored);
    for (const row of sums.unsummed) intervals.add(toSummed(row));
  }

  async erase(day: string, erased: readonly ErasedRequest[]): Promise<void> {
    const { requests, names, bodies } = POSTGRES.tablesOf(day);
    const rows = erased.map(({ position }) => position.row);
    await this.#read(async () => {
      await this.#pool.query(
        `update ${requests} set attribution = given.attribution from unnest($1::bigint[], $2::text[]) as given (row, attribution)
          where ${requests}.row = given.row`,
        [rows, erased.map(({ attribution }) => writeAttribution(attribution))],
      );
      // Otherwise the filters of their chunks would still reveal that a name was there.
      await this.#pool.query(`insert into ${names} (chunk) select unnest($1::bigint[]) on conflict (chunk) do update set bits = null`, [
        [...new Set(rows.map(chunkOf))],
      ]);
      const ids = erased.flatMap(({ request, deletesBodies }) => (deletesBodies ? uuidOf(request.requestId)! : []));
      await this.#pool.query(`delete from ${bodies} where id = any($1::text[]::uuid[])`, [ids]);
    });
  }

  /** Requests of days that are yet to come were written by a process with a wrong clock. */
  async #all(): Promise<readonly Partition[]> {
    try {
      const lastDay = this.#retention.lastDay() ?? "~";
      return (await this.#partitions.all()).filter(({ day }) => day <= lastDay);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Reads from one day. Undefined if the day was dropped meanwhile. */
  async #read<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw unavailable(error);
    }
  }
}

function readStored(
  connection: PostgresConnection,
  day: string,
  { account, model, firstQuarter, endQuarter }: Intervals,
): Promise<readonly SumRow[]> {
  return connection.query<SumRow>(
    `select quarter, outcomes, codes, durations, first_tokens from ${POSTGRES.tablesOf(day).sums}
      where account = $1 and model = $2 and quarter >= $3 and quarter < $4`,
    [storedName(account), storedName(model), firstQuarter, endQuarter],
  );
}

/** The rows of the account and the model that are in no stored sum. */
async function readUnsummed(connection: PostgresConnection, day: string, { account, model }: Intervals): Promise<readonly UnsummedRow[]> {
  const all: UnsummedRow[] = [];
  const [span] = await connection.query<{ after: number | null; last: number | null }>(
    "select summed_row::float8 as after, last_row::float8 as last from request_log_days where day = $1",
    [day],
  );
  const sql = `${selectUnsummed(POSTGRES, POSTGRES.tablesOf(day).requests)} where row > $1::bigint and row <= $1::bigint + ${ROWS_AT_ONCE}
    and ($2::text is null or account_id = $2::text) and ($3::text is null or model = $3::text)`;
  const names = [account, model].map((name) => (name === ALL ? null : storable(name)));
  for (let from = span?.after ?? 0; from < (span?.last ?? 0); from += ROWS_AT_ONCE) {
    all.push(...(await connection.query<UnsummedRow>(sql, [from, ...names])));
  }
  return all;
}
