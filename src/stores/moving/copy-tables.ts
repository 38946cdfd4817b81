import type { Database as SqliteFile } from "bun:sqlite";
import type { PostgresConnection, PostgresPool } from "../postgres/postgres-pool.ts";
import { ENTRIES, findTable, GENERATED_IDS, TABLES, type MovedTable } from "./moved-table.ts";
import { MovedLedger } from "./moved-ledger.ts";
import { PostgresRowWriter, readPostgresRows } from "./postgres-rows.ts";
import { RowDigest } from "./row-digest.ts";
import { SqliteRowWriter, sqliteRows } from "./sqlite-rows.ts";

/** The digests of the rows of each table, as read from the source. */
type Digests = ReadonlyMap<string, RowDigest>;

/** The copied tables. */
export interface CopiedTables {
  readonly digests: Digests;
  /** The number of entries of each account. */
  readonly entriesOf: ReadonlyMap<string, number>;
  readonly lastId: number;
}

/** The copied rows differ from the source. */
class CopyDiffers extends Error {
  override readonly name = "CopyDiffers";
}

/**
 * Copies all rows of a data folder into the empty tables of a PostgreSQL database: first the entries, in parts, then everything else in one
 * transaction.
 */
export async function copyToPostgres(file: SqliteFile, pool: PostgresPool): Promise<CopiedTables> {
  const entries = await findTable(file, pool, ENTRIES);
  const ledger = new MovedLedger(entries);
  const digests = new Map([[ENTRIES, await copyTable(file, pool, entries, (row) => ledger.add(row))]]);
  if (ledger.openHolds > 0) throw new CopyDiffers(`${ledger.openHolds} requests have not ended in the ledger`);
  await pool.transaction(async (connection) => {
    for (const name of TABLES) digests.set(name, await copyTable(file, connection, await findTable(file, connection, name)));
    await ledger.write(connection);
    for (const name of GENERATED_IDS) {
      await connection.query(`select setval(pg_get_serial_sequence('${name}', 'id'), (select max(id) from ${name}))`);
    }
  });
  return { digests, entriesOf: ledger.entriesOf, lastId: ledger.lastId };
}

async function copyTable(
  file: SqliteFile,
  on: Pick<PostgresPool, "query">,
  table: MovedTable,
  copied?: (row: Parameters<RowDigest["add"]>[0]) => void,
): Promise<RowDigest> {
  const digest = new RowDigest();
  const writer = new PostgresRowWriter(on, table);
  for (const row of sqliteRows(file, table)) {
    digest.add(row);
    copied?.(row);
    await writer.add(row);
  }
  await writer.flush();
  return digest;
}

/** Copies all rows of a PostgreSQL database, as of one moment, into the empty tables of a SQLite file. */
export async function copyToSqlite(connection: PostgresConnection, file: SqliteFile): Promise<CopiedTables> {
  const digests = new Map<string, RowDigest>();
  const entries = await findTable(file, connection, ENTRIES);
  const ledger = new MovedLedger(entries);
  file.run("begin immediate");
  for (const name of [ENTRIES, ...TABLES]) {
    const table = name === ENTRIES ? entries : await findTable(file, connection, name);
    const digest = new RowDigest();
    const writer = new SqliteRowWriter(file, table);
    await readPostgresRows(connection, table, (row) => {
      digest.add(row);
      if (name === ENTRIES) ledger.add(row);
      writer.add(row);
    });
    digests.set(name, digest);
  }
  file.run("commit");
  return { digests, entriesOf: ledger.entriesOf, lastId: ledger.lastId };
}

/** Reads the rows in PostgreSQL again. Throws `CopyDiffers`. */
export async function verifyPostgres(file: SqliteFile, connection: PostgresConnection, digests: Digests): Promise<void> {
  for (const [name, expected] of digests) {
    const digest = new RowDigest();
    await readPostgresRows(connection, await findTable(file, connection, name), (row) => digest.add(row));
    refuseDifference(name, expected, digest);
  }
}

/** Reads the rows in SQLite again. Throws `CopyDiffers`. */
export async function verifySqlite(file: SqliteFile, connection: PostgresConnection, digests: Digests): Promise<void> {
  for (const [name, expected] of digests) {
    const digest = new RowDigest();
    for (const row of sqliteRows(file, await findTable(file, connection, name))) digest.add(row);
    refuseDifference(name, expected, digest);
  }
}

export function refuseDifference(name: string, expected: RowDigest, digest: RowDigest): void {
  if (digest.equals(expected)) return;
  const what = digest.rows === expected.rows ? "a row differs" : `${digest.rows} of ${expected.rows} rows`;
  throw new CopyDiffers(`${name}: ${what}`);
}
