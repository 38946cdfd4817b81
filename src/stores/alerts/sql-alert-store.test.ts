import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { alertStoreContract } from "./alert-store.contract.ts";
import { SqlAlertStore } from "./sql-alert-store.ts";
import { openMigrated } from "../../../test/support/open-migrated.ts";

async function openIn(folder: string): Promise<Database> {
  const database = await openMigrated(folder);
  await sql`pragma synchronous = off`.execute(database);
  return database;
}

alertStoreContract("SqlAlertStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-alerts-"));
  let database = await openIn(folder);
  const before: Database[] = [];
  return {
    store: await SqlAlertStore.open(database),
    async setWritable(isWritable) {
      await sql`pragma query_only = ${sql.raw(isWritable ? "off" : "on")}`.execute(database);
    },
    async reopen() {
      before.push(database);
      database = await openIn(folder);
      return SqlAlertStore.open(database);
    },
    async countAlerts() {
      const { count } = await database
        .selectFrom("alerts")
        .select(sql<number>`count(*)`.as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    run: (statement) => sql.raw(statement).execute(database),
    async cleanUp() {
      for (const each of [...before, database]) await each.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
