import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import { sessionStoreContract } from "./session-store.contract.ts";

sessionStoreContract("SqlSessionStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-sessions-"));
  let stores = await openStoresIn(folder);
  return {
    store: stores.sessions,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openStoresIn(folder);
      return stores.sessions;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
