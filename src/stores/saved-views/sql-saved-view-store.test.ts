import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import type { Database } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { savedViewStoreContract } from "./saved-view-store.contract.ts";
import { SqlSavedViewStore } from "./sql-saved-view-store.ts";

async function openIn(folder: string): Promise<Database> {
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  return database;
}

savedViewStoreContract("SqlSavedViewStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-saved-views-"));
  let database = await openIn(folder);
  return {
    store: await SqlSavedViewStore.open(database),
    auditLog: () => new SqlAuditLogStore(database),
    async reopen() {
      await database.destroy();
      database = await openIn(folder);
      return SqlSavedViewStore.open(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
