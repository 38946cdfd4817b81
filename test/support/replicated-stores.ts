import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "../../src/stores/open-stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { ReplicaFeed } from "../../src/stores/replication/replica-feed.ts";
import { Replicas } from "../../src/stores/replication/replicas.ts";
import { LinkedServices } from "./linked-services.ts";
import { STORE_OPTIONS } from "./gateway/store-options.ts";

/** Stores in a new folder, and the replicas of one process. */
export interface ReplicatedStores {
  readonly stores: Stores;
  readonly feed: ReplicaFeed;
  readonly links: LinkedServices;
  readonly replicas: Replicas;
  readonly cleanUp: () => Promise<void>;
}

/** Small enough that a few records need several parts of a snapshot. */
const RECORDS_AT_ONCE = 2;

export async function openTemporaryStores(): Promise<{ stores: Stores; cleanUp: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-replicas-"));
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder });
  return {
    stores,
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function openReplicatedStores(): Promise<ReplicatedStores> {
  const { stores, cleanUp } = await openTemporaryStores();
  const feed = new ReplicaFeed(stores, RECORDS_AT_ONCE);
  const links = new LinkedServices(feed);
  const replicas = await links.start("p1", () => new Replicas());
  await replicas.ready;
  return { stores, feed, links, replicas, cleanUp };
}
