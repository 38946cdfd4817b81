import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import { accessTokenStoreContract } from "./access-token-store.contract.ts";

accessTokenStoreContract("SqlAccessTokenStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-access-tokens-"));
  let stores = await openStoresIn(folder);
  return {
    store: stores.accessTokens,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openStoresIn(folder);
      return stores.accessTokens;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
