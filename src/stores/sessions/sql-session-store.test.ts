import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../../test/support/gateway/store-options.ts";
import { openStores } from "../open-stores.ts";
import type { Stores } from "../stores.ts";
import { sessionStoreContract } from "./session-store.contract.ts";

const openAt = (dataFolder: string): Promise<Stores> => openStores({ ...STORE_OPTIONS, dataFolder });

sessionStoreContract("SqlSessionStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-sessions-"));
  let stores = await openAt(folder);
  return {
    store: stores.sessions,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openAt(folder);
      return stores.sessions;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
