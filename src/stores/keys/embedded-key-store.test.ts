import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "../open-stores.ts";
import { keyStoreContract } from "./key-store.contract.ts";

keyStoreContract("EmbeddedKeyStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  let stores = await openStores(folder, new Map());
  return {
    store: stores.keys,
    async reopen() {
      await stores.close();
      stores = await openStores(folder, new Map());
      return stores.keys;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
