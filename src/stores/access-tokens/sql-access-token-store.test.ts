import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../../test/support/gateway/store-options.ts";
import { openStores } from "../open-stores.ts";
import type { Stores } from "../stores.ts";
import { accessTokenStoreContract } from "./access-token-store.contract.ts";

const openAt = (dataFolder: string): Promise<Stores> => openStores({ ...STORE_OPTIONS, dataFolder });

accessTokenStoreContract("SqlAccessTokenStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-access-tokens-"));
  let stores = await openAt(folder);
  return {
    store: stores.accessTokens,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openAt(folder);
      return stores.accessTokens;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
