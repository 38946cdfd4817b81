import { Database as SqliteFile } from "bun:sqlite";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { migrate } from "../../stores/migrations/migrate.ts";
import { copyToSqlite, verifySqlite, type CopiedTables } from "../../stores/moving/copy-tables.ts";
import type { PostgresConnection, PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { openSqlite } from "../../stores/sqlite/sqlite-database.ts";
import { inSnapshot } from "./opened-sides.ts";

/**
 * Copies the rows of a PostgreSQL database, as they were at one moment, into the database of a new data folder. `beside` copies more data
 * from the same moment.
 */
export async function copyIntoFolder<More>(
  folder: string,
  pool: PostgresPool,
  beside: (connection: PostgresConnection, file: SqliteFile) => Promise<More>,
): Promise<{ readonly copied: CopiedTables; readonly more: More }> {
  const path = filesIn(folder).database;
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  const file = new SqliteFile(path, { readwrite: true, create: false, strict: true });
  try {
    return await inSnapshot(pool, async (connection) => {
      const copied = await copyToSqlite(connection, file);
      await verifySqlite(file, connection, copied.digests);
      return { copied, more: await beside(connection, file) };
    });
  } finally {
    file.close();
  }
}
