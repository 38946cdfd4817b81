import { ownChange } from "../../access/change.ts";
import { openReplicatedStores, openTemporaryStores } from "../../../test/support/replicated-stores.ts";
import { accountReaderContract } from "../accounts/account-reader.contract.ts";
import type { Account } from "../../access/account.ts";
import type { AccountReader } from "../accounts/account-store.ts";
import { catalogReaderContract } from "../catalog/catalog-reader.contract.ts";
import type { CatalogReader } from "../catalog/catalog-store.ts";
import { keyReaderContract } from "../keys/key-reader.contract.ts";
import type { KeyReader } from "../keys/key-store.ts";
import type { Stores } from "../stores.ts";

/** Stores and their readers: the stores themselves, or replicas. */
interface Readable {
  readonly stores: Stores;
  readonly keys: KeyReader;
  readonly accounts: AccountReader;
  readonly catalog: CatalogReader;
  readonly propagated: () => Promise<void>;
  readonly cleanUp: () => Promise<void>;
}

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

async function declareAccounts({ accounts, catalog }: Stores, declared: readonly Account[]): Promise<void> {
  await catalog.declare("file", () => ({
    declared: { upstreams: [], catalog: new Map() },
    announcements: [],
    together: [accounts.prepare(declared.map((account) => ({ account, change: CHANGE })))],
  }));
}

function readerContracts(name: string, open: () => Promise<Readable>): void {
  keyReaderContract(`${name} keys`, async () => {
    const { stores, keys, ...rest } = await open();
    return { ...rest, store: stores.keys, reader: keys };
  });
  accountReaderContract(`${name} accounts`, async () => {
    const { stores, accounts, ...rest } = await open();
    return { ...rest, store: stores.accounts, reader: accounts, declare: (declared) => declareAccounts(stores, declared) };
  });
  catalogReaderContract(`${name} catalog`, async () => {
    const { stores, catalog, ...rest } = await open();
    return { ...rest, store: stores.catalog, reader: catalog };
  });
}

readerContracts("Embedded", async () => {
  const { stores, cleanUp } = await openTemporaryStores();
  const { keys, accounts, catalog } = stores;
  return { stores, keys, accounts, catalog, propagated: () => Promise.resolve(), cleanUp };
});

readerContracts("Replicated", async () => {
  const { stores, feed, replicas, cleanUp } = await openReplicatedStores();
  const { keys, accounts, catalog } = replicas;
  return { stores, keys, accounts, catalog, propagated: () => feed.propagated(), cleanUp };
});
