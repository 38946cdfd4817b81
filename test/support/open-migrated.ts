import { join } from "node:path";
import type { Database } from "../../src/stores/database.ts";
import { migrate } from "../../src/stores/migrations/migrate.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite-database.ts";

/** Opens the database of a data folder with all migrations. */
export async function openMigrated(folder: string): Promise<Database> {
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  return database;
}
