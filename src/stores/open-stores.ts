import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Catalog } from "../vocabulary/catalog.ts";
import type { CatalogStore } from "./catalog/catalog-store.ts";
import { MemoryCatalogStore } from "./catalog/memory-catalog-store.ts";
import { openSqlite } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { EmbeddedKeyStore } from "./keys/embedded-key-store.ts";
import type { KeyStore } from "./keys/key-store.ts";
import { migrate } from "./migrations/migrate.ts";

/** Everything that is kept. */
export interface Stores {
  readonly keys: KeyStore;
  readonly catalog: CatalogStore;
  close(): Promise<void>;
}

/** Opens the stores in the data folder, making what is missing. One process at a time: throws `FolderInUse` otherwise. */
export async function openStores(dataFolder: string, catalog: Catalog): Promise<Stores> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataFolder);
  const database = openSqlite(join(dataFolder, "tollgate.db"));
  await migrate(database);
  return {
    keys: await EmbeddedKeyStore.open(database),
    catalog: new MemoryCatalogStore(catalog),
    async close() {
      await database.destroy();
      lock.release();
    },
  };
}
