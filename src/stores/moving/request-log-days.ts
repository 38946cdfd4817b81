import { Database as SqliteFile } from "bun:sqlite";
import { rmSync } from "node:fs";
import { readSnapshot } from "../ledger/postgres-records/read-snapshot.ts";
import type { PostgresConnection, PostgresPool } from "../postgres/postgres-pool.ts";
import { LogFolder } from "../request-log/sqlite/log-folder.ts";
import { POSTGRES } from "../request-log/log-dialect.ts";
import { COLUMN_NAMES, columnTypeOf } from "../request-log/request-rows.ts";
import { DAY_TABLES } from "../request-log/sqlite/day-tables.ts";
import { LogPartitions } from "../request-log/postgres/log-partitions.ts";
import { refuseDifference } from "./copy-tables.ts";
import type { MovedColumn, MovedTable } from "./moved-table.ts";
import { PostgresRowWriter, readPostgresRows } from "./postgres-rows.ts";
import { RowDigest } from "./row-digest.ts";
import { SqliteRowWriter, sqliteRows } from "./sqlite-rows.ts";

/** The copied part of the request log. */
export interface CopiedLog {
  readonly days: number;
  readonly requests: number;
  /** The days that could not be read, and were not copied. */
  readonly damaged: readonly string[];
}

/** The tables of a day, without its sums: these are added up again in the background. */
function dayTables(day: string): readonly MovedTable[] {
  const { requests, chunks, found, bodies, mirrors } = POSTGRES.tablesOf(day);
  return [
    { sqlite: "requests", postgres: requests, columns: REQUEST_COLUMNS, orderBy: "row" },
    {
      sqlite: "chunks",
      postgres: chunks,
      columns: [
        columnOf("chunk", "bigint"),
        columnOf("from_ms", "bigint"),
        columnOf("to_ms", "bigint"),
        columnOf("first_id", "uuid"),
        columnOf("last_id", "uuid"),
      ],
    },
    { sqlite: "found", postgres: found, columns: [columnOf("field", "text"), FOUND_VALUE, columnOf("chunk", "bigint")] },
    {
      sqlite: "bodies",
      postgres: bodies,
      columns: [
        columnOf("id", "uuid"),
        columnOf("request", "text"),
        columnOf("reply", "text"),
        { name: "is_cut", type: "boolean", fromPostgres: "is_cut::integer::text", toSqlite: (at) => `cast(${at} as integer)` },
      ],
    },
    { sqlite: "mirrors", postgres: mirrors, columns: [columnOf("id", "uuid"), columnOf("model", "text"), jsonColumn("result")] },
  ];
}

const REQUEST_COLUMNS = COLUMN_NAMES.map((name) => (name === "attempts" ? jsonColumn(name) : columnOf(name, columnTypeOf(name))));

function jsonColumn(name: string): MovedColumn {
  return { name, type: "text", isJson: true };
}

/** A status is a number in SQLite. The first parameter is the field. */
const FOUND_VALUE: MovedColumn = {
  name: "value",
  type: "text",
  toSqlite: (at) => `case ?1 when 'status' then cast(${at} as integer) else ${at} end`,
};

/** A UUID is 16 bytes in SQLite. */
function columnOf(name: string, type: string): MovedColumn {
  if (type !== "uuid") return { name, type };
  return {
    name,
    type,
    fromSqlite: `lower(hex("${name}"))`,
    fromPostgres: `replace("${name}"::text, '-', '')`,
    toSqlite: (at) => `unhex(${at})`,
  };
}

/** Copies the request log of a data folder into PostgreSQL, one transaction for each day. */
export async function copyLogToPostgres(folder: string, pool: PostgresPool): Promise<CopiedLog> {
  const log = new LogFolder(folder);
  const partitions = new LogPartitions(pool);
  const damaged: string[] = [];
  let days = 0;
  let requests = 0;
  for (const day of log.days()) {
    try {
      requests += await copyDayToPostgres(log.fileOf(day), day, pool, partitions);
      days++;
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      await partitions.drop(day);
      damaged.push(day);
    }
  }
  await pool.query("update request_log_head set newest = coalesce((select max(day) from request_log_days), '')");
  return { days, requests, damaged };
}

async function copyDayToPostgres(path: string, day: string, pool: PostgresPool, partitions: LogPartitions): Promise<number> {
  const file = new SqliteFile(path, { readwrite: true, create: false, strict: true });
  try {
    await partitions.ensure(day);
    return await pool.transaction(async (connection) => {
      let requests = 0;
      for (const table of dayTables(day)) {
        const copied = new RowDigest();
        const writer = new PostgresRowWriter(connection, table);
        for (const row of sqliteRows(file, table)) {
          copied.add(row);
          await writer.add(row);
        }
        await writer.flush();
        const written = new RowDigest();
        await readPostgresRows(connection, table, (row) => written.add(row));
        refuseDifference(`${day} ${table.sqlite}`, copied, written);
        if (table.sqlite === "requests") requests = copied.rows;
      }
      const rows = POSTGRES.tablesOf(day).requests;
      await connection.query(
        `update request_log_days set last_row = (select max(row) from ${rows}), summed_row = (select min(row) - 1 from ${rows}) where day = $1`,
        [day],
      );
      return requests;
    });
  } finally {
    file.close();
  }
}

/** Copies the request log of PostgreSQL into the folder of a new data folder, a file for each day. */
export async function copyLogToFolder(pool: PostgresPool, folder: string): Promise<CopiedLog> {
  const log = new LogFolder(folder);
  log.make();
  const partitions = new LogPartitions(pool);
  let days = 0;
  let requests = 0;
  for (const { day } of await partitions.all()) {
    try {
      requests += await readSnapshot(pool, (connection) => copyDayToFile(connection, day, log.fileOf(day)));
      days++;
    } catch (error) {
      // Running processes delete old days.
      if ((await partitions.all()).some((each) => each.day === day)) throw error;
      rmSync(log.fileOf(day), { force: true });
    }
  }
  return { days, requests, damaged: [] };
}

async function copyDayToFile(connection: PostgresConnection, day: string, path: string): Promise<number> {
  const file = new SqliteFile(path, { create: true, strict: true });
  try {
    for (const statement of DAY_TABLES) file.run(statement);
    let requests = 0;
    file.run("begin");
    for (const table of dayTables(day)) {
      const copied = new RowDigest();
      const writer = new SqliteRowWriter(file, table);
      await readPostgresRows(connection, table, (row) => {
        copied.add(row);
        writer.add(row);
      });
      const written = new RowDigest();
      for (const row of sqliteRows(file, table)) written.add(row);
      refuseDifference(`${day} ${table.sqlite}`, copied, written);
      if (table.sqlite === "requests") requests = copied.rows;
    }
    file.run("commit");
    return requests;
  } finally {
    file.close();
  }
}

function isSqliteError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
}
