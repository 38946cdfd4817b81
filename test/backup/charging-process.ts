/**
 * Charges requests in a data folder, some one after another and some concurrently, until it is killed. It runs as the only process, or as a
 * gateway process of an owner. Prints the ID of each request whose charge is durable, and leaves some in flight. Arguments: the folder, and
 * `alone` or `shared`.
 */
import type { Purse } from "../../src/money/purse.ts";
import { LeasedLedgerStore } from "../../src/stores/ledger/leases/leased-ledger-store.ts";
import type { LedgerStore } from "../../src/stores/ledger/ledger-store.ts";
import { createProcessFolder } from "../../src/stores/ledger/processes/process-folder.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { answer, grant, hold, settlement } from "../support/money/ledger-samples.ts";

const ACCOUNT: Purse = { scope: "account", id: "acme" };
const CREDIT = 10n ** 15n;
const CONCURRENT = 8;

const [dataFolder, kind] = process.argv.slice(2) as [string, "alone" | "shared"];
const stores = await openStores({ ...STORE_OPTIONS, dataFolder, isShared: kind === "shared" });
await stores.ledgerRecords.addCredit(grant(CREDIT));
const ledger = kind === "shared" ? await joinAs("p1", stores) : stores.ledger;
await Promise.all(Array.from({ length: CONCURRENT }, (_, at) => charge(ledger, at)));

async function charge(store: LedgerStore, caller: number): Promise<void> {
  for (let at = 0; ; at++) {
    const requestId = `${caller}-${at}`;
    await store.hold(hold(requestId, 5n));
    if (at % 10 === 9) continue;
    await store.settle(requestId, settlement(2n), at % 10 === 5 ? answer(requestId) : undefined);
    process.stdout.write(`${requestId}\n`);
    // Some hundred requests per second: every copy takes longer than the one before.
    await Bun.sleep(10);
  }
}

async function joinAs(instanceId: string, { sharedLedger }: Stores): Promise<LedgerStore> {
  const { authority } = sharedLedger!;
  const store = new LeasedLedgerStore({
    instanceId,
    authority,
    folder: createProcessFolder(dataFolder, instanceId, 8080).path,
    durability: "process",
    monotonicMs: () => performance.now(),
    report: () => undefined,
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: () => undefined,
  });
  await store.start();
  authority.connect(instanceId, store);
  await store.widen([ACCOUNT], CREDIT / 2n);
  return store;
}
