import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../../test/store-options.ts";
import { openStores, type Stores } from "../open-stores.ts";
import { personStoreContract } from "./person-store.contract.ts";

const openAt = (dataFolder: string): Promise<Stores> => openStores({ ...STORE_OPTIONS, dataFolder });

personStoreContract("EmbeddedPersonStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-people-"));
  let stores = await openAt(folder);
  return {
    store: stores.people,
    async reopen() {
      await stores.close();
      stores = await openAt(folder);
      return stores.people;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});
