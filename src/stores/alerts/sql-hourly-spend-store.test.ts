import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqlHourlySpendStore } from "./sql-hourly-spend-store.ts";
import { hourlySpendStoreContract } from "./hourly-spend-store.contract.ts";
import { openMigrated } from "../../../test/support/open-migrated.ts";

hourlySpendStoreContract("SqlHourlySpendStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-hourly-spend-"));
  let database = await openMigrated(folder);
  return {
    store: new SqlHourlySpendStore(database),
    async reopen() {
      await database.destroy();
      database = await openMigrated(folder);
      return new SqlHourlySpendStore(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
