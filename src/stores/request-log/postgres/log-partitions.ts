import { SQL } from "bun";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { POSTGRES, TABLE_KINDS } from "../log-dialect.ts";
import { COLUMN_DEFINITIONS } from "../request-rows.ts";

/** An advisory lock, under which one process at a time creates and drops the tables of a day. */
const PARTITIONS_LOCK = 0x746f6c6c;

/** A day with tables. */
export interface Partition {
  readonly day: string;
  /** The number of the day's last row. Null if it has none. */
  readonly lastRow: number | null;
  /** The number of the last row that is in its sums. */
  readonly summedRow: number;
}

/**
 * The partitions of the log: tables for each day, which are created and dropped as a whole. They are not partitions of one table: dropping
 * such a partition would lock that table, and wait for all of its readers while its writers wait.
 */
export class LogPartitions {
  readonly #pool: PostgresPool;
  /** Days whose tables exist, as far as this process knows. */
  readonly #known = new Set<string>();
  /** Days whose tables were missing even though the database lists them: another program has dropped them. */
  readonly #missing = new Set<string>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** All days with tables, in order. */
  async all(): Promise<readonly Partition[]> {
    return this.#pool.query<Partition>(
      `select day, last_row::float8 as "lastRow", coalesce(summed_row, -1)::float8 as "summedRow" from request_log_days order by day`,
    );
  }

  /** Creates the missing tables of a day. */
  async ensure(day: string): Promise<void> {
    if (this.#known.has(day)) return;
    if (this.#missing.has(day) || !(await this.#isListed(day))) await this.#create(day);
    this.#missing.delete(day);
    this.#known.add(day);
  }

  /** Notes that the tables of a day are gone. */
  forget(day: string): void {
    this.#known.delete(day);
    this.#missing.add(day);
  }

  /** Drops the tables of a day. A long read delays this: the drop gives up soon, because writers wait behind it. */
  async drop(day: string): Promise<void> {
    this.forget(day);
    await this.#pool.transaction(async (connection) => {
      await Promise.all([
        connection.query("set local lock_timeout = '1s'"),
        connection.query("select pg_advisory_xact_lock($1, 0)", [PARTITIONS_LOCK]),
        // Tables are dropped before the rows of the day are deleted, which is the order of a write.
        connection.query(dropStatement(day)),
        connection.query("delete from request_log_writers where day = $1", [day]),
        connection.query("delete from request_log_days where day = $1", [day]),
      ]);
    });
  }

  /** Drops earlier days. Returns whether all of them were dropped: a day that is being read is dropped later. */
  async dropBefore(first: string): Promise<boolean> {
    if (first === "") return true;
    try {
      for (const { day } of await this.all()) if (day < first) await this.drop(day);
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable) return false;
      throw error;
    }
  }

  /** The size of each day in bytes, in order. */
  async sizes(): Promise<Map<string, number>> {
    const rows = await this.#pool.query<{ day: string; bytes: number }>(
      `select day, ${BYTES_OF_DAY} as bytes from request_log_days order by day`,
    );
    return new Map(rows.map(({ day, bytes }) => [day, bytes]));
  }

  async #isListed(day: string): Promise<boolean> {
    return (await this.#pool.query("select 1 from request_log_days where day = $1", [day])).length > 0;
  }

  async #create(day: string): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      await Promise.all([
        connection.query("select pg_advisory_xact_lock($1, 0)", [PARTITIONS_LOCK]),
        ...createStatements(day).map((statement) => connection.query(statement)),
        connection.query("insert into request_log_days (day) values ($1) on conflict do nothing", [day]),
      ]);
    });
  }
}

/** Works in a transaction, under a lock that one process at a time can have. Undefined while another process has it. */
export function underLock<T>(
  pool: PostgresPool,
  lock: readonly [number, number],
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T | undefined> {
  return pool.transaction(async (connection) => {
    const [, locks] = await Promise.all([
      // If a process stalls here, its transaction is ended, and another process continues.
      connection.query("set local idle_in_transaction_session_timeout = '10s'"),
      connection.query<{ is_mine: boolean }>("select pg_try_advisory_xact_lock($1, $2) as is_mine", lock),
    ]);
    return locks[0]!.is_mine ? work(connection) : undefined;
  });
}

/** Whether a statement failed because a table does not exist: the day was dropped meanwhile. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.errno === "42P01";
}

/** Whether a statement failed because of a value in it: a retry cannot succeed. */
export function isInvalidData(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.errno?.startsWith("22") === true;
}

/**
 * The statements that create the tables of a day, as in the day files: `requests` has no index except for its row numbers. The filters of
 * `names` are written in the background.
 */
export function createStatements(day: string): string[] {
  const { requests, chunks, found, names, bodies, sums, mirrors } = POSTGRES.tablesOf(day);
  return [
    `create table if not exists ${requests} (${COLUMN_DEFINITIONS})`,
    `create table if not exists ${chunks} (chunk bigint primary key, from_ms bigint not null, to_ms bigint not null, first_id uuid not null,
      last_id uuid not null)`,
    `create table if not exists ${found} (field text not null, value text not null, chunk bigint not null, primary key (field, value, chunk))`,
    `create table if not exists ${names} (chunk bigint primary key, bits bytea)`,
    `create table if not exists ${bodies} (id uuid primary key, request text, reply text, is_cut boolean not null)`,
    `create table if not exists ${sums} (account text not null, model text not null, quarter integer not null, outcomes text not null,
      codes text, durations bytea, first_tokens bytea, primary key (account, model, quarter))`,
    `create table if not exists ${mirrors} (id uuid primary key, model text not null, result text not null)`,
    `create index if not exists ${mirrors}_different on ${mirrors} (id) where ${POSTGRES.isDifferent}`,
  ];
}

export function dropStatement(day: string): string {
  const tables = POSTGRES.tablesOf(day);
  return `drop table if exists ${TABLE_KINDS.map((kind) => tables[kind]).join(", ")}`;
}

/** An expression for the size of all tables of a day, where `day` is a column. */
export const BYTES_OF_DAY = `(select coalesce(sum(pg_total_relation_size(to_regclass('request_log_' || replace(day, '-', '_') || '_' || kind))), 0)
  from unnest(array[${TABLE_KINDS.map((kind) => `'${kind}'`).join(", ")}]) as kind)::float8`;
