import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../database.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { SqlHourlySpendStore } from "./sql-hourly-spend-store.ts";
import { hourlySpendStoreContract } from "./hourly-spend-store.contract.ts";

async function openIn(folder: string): Promise<Database> {
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  return database;
}

hourlySpendStoreContract("SqlHourlySpendStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-hourly-spend-"));
  let database = await openIn(folder);
  return {
    store: new SqlHourlySpendStore(database),
    async reopen() {
      await database.destroy();
      database = await openIn(folder);
      return new SqlHourlySpendStore(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
