import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import { savedViewStoreContract } from "./saved-view-store.contract.ts";
import { SqlSavedViewStore } from "./sql-saved-view-store.ts";
import { openMigrated } from "../../../test/support/open-migrated.ts";

savedViewStoreContract("SqlSavedViewStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-saved-views-"));
  let database = await openMigrated(folder);
  return {
    store: await SqlSavedViewStore.open(database),
    auditLog: () => new SqlAuditLogStore(database),
    async reopen() {
      await database.destroy();
      database = await openMigrated(folder);
      return SqlSavedViewStore.open(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});
