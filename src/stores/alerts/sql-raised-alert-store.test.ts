import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { migrate } from "../migrations/migrate.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { raisedAlertStoreContract } from "./raised-alert-store.contract.ts";
import { SqlAlertStore } from "./sql-alert-store.ts";
import { SqlRaisedAlertStore } from "./sql-raised-alert-store.ts";

raisedAlertStoreContract("SqlRaisedAlertStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-raised-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  await sql`pragma synchronous = off`.execute(database);
  return {
    store: new SqlRaisedAlertStore(database),
    alerts: await SqlAlertStore.open(database),
    run: (statement) => sql.raw(statement).execute(database),
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
