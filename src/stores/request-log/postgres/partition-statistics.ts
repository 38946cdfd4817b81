import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { unavailable } from "../sqlite/log-days.ts";
import type { RequestStatistics, RequestStatisticsQuery } from "../request-log-store.ts";
import { toSummed, type UnsummedRow } from "../sqlite/day-sums.ts";
import { Intervals } from "../statistics/intervals.ts";
import { quarterOf } from "../statistics/pending-sums.ts";
import { ALL, type SumRow } from "../statistics/sum-table.ts";
import { tablesOf } from "./day-tables.ts";
import { isMissingTable } from "./log-partitions.ts";
import type { PartitionSearch } from "./partition-search.ts";
import { storedName, UNSUMMED } from "./partition-sums.ts";
import { storable } from "./row-batch.ts";

/** Rows read at once, which blocks the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 2048;

/** The rows of a day that are in no sum. Both bounds are null if there are none. */
interface RowSpan {
  readonly after: number | null;
  readonly last: number | null;
}

/** Reads statistics: the stored sums of all days, and the rows that are in no sum yet. */
export class PartitionStatistics {
  readonly #pool: PostgresPool;
  readonly #search: PartitionSearch;

  constructor(pool: PostgresPool, search: PartitionSearch) {
    this.#pool = pool;
    this.#search = search;
  }

  async read(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    const { bounds } = query;
    const intervals = new Intervals(bounds);
    for (const day of await this.#search.between(bounds[0], bounds.at(-1))) await this.#addDay(day, query, intervals);
    const oldest = (await this.#search.days()).find(({ lastRow }) => lastRow !== null);
    return { ...intervals.measures(), retainedFromMs: oldest === undefined ? null : Date.parse(oldest.day) };
  }

  /** Reads in one snapshot, so that a row that is summed meanwhile counts once. If a statement fails, nothing is added. */
  async #addDay(day: string, query: RequestStatisticsQuery, intervals: Intervals): Promise<void> {
    const { firstQuarter, endQuarter } = intervals;
    try {
      const { sums, rows } = await this.#pool.transaction(async (connection) => {
        const [, stored, summed] = await Promise.all([
          connection.query("set transaction isolation level repeatable read, read only"),
          readSums(connection, day, query, firstQuarter, endQuarter),
          connection.query<RowSpan>("select summed_row::float8 as after, last_row::float8 as last from request_log_days where day = $1", [
            day,
          ]),
        ]);
        return { sums: stored, rows: summed[0] ? await readUnsummed(connection, day, query, summed[0]) : [] };
      });
      for (const row of sums) intervals.at(row.quarter).mergeStored(row);
      for (const row of rows) {
        const quarter = quarterOf(row.ended_at_ms);
        if (quarter >= firstQuarter && quarter < endQuarter) intervals.at(quarter).add(toSummed(row));
      }
    } catch (error) {
      if (!isMissingTable(error)) throw unavailable(error);
    }
  }
}

function readSums(
  connection: PostgresConnection,
  day: string,
  { accountId, model }: RequestStatisticsQuery,
  firstQuarter: number,
  endQuarter: number,
): Promise<readonly SumRow[]> {
  return connection.query<SumRow>(
    `select quarter, outcomes, codes, durations, first_tokens from ${tablesOf(day).sums}
      where account = $1 and model = $2 and quarter >= $3 and quarter < $4`,
    [storedName(nameIn(accountId)), storedName(nameIn(model)), firstQuarter, endQuarter],
  );
}

async function readUnsummed(
  connection: PostgresConnection,
  day: string,
  { accountId, model }: RequestStatisticsQuery,
  { after, last }: RowSpan,
): Promise<UnsummedRow[]> {
  const all: UnsummedRow[] = [];
  const [account, name] = [accountId, model].map((each) => (each === undefined ? null : storable(each)));
  for (let from = after!; from < last!; from += ROWS_AT_ONCE) {
    const rows = await connection.query<UnsummedRow>(
      `select ${UNSUMMED} from ${tablesOf(day).requests} where row > $1::bigint and row <= $1::bigint + ${ROWS_AT_ONCE}
        and ($2::text is null or account_id = $2::text) and ($3::text is null or model = $3::text)`,
      [from, account, name],
    );
    all.push(...rows);
  }
  return all;
}

function nameIn(name: string | undefined): string | typeof ALL {
  return name === undefined ? ALL : storable(name);
}
