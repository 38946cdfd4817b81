import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { makeAccount } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { NO_CAPS, readRates } from "../../money/limits.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { runs } from "../../../test/support/long.ts";
import { openTemporaryStores } from "../../../test/support/replicated-stores.ts";
import {
  CHANGE,
  announce,
  declare,
  declaredModel,
  foreign,
  putModel,
  putUpstream,
  upstream,
} from "../catalog/catalog-examples.contract.ts";
import type { CatalogReader } from "../catalog/catalog-store.ts";
import { credentialsOf } from "../../models/upstream-settings.ts";
import type { Stores } from "../stores.ts";
import { ReplicaFeed } from "./replica-feed.ts";
import { Replicas } from "./replicas.ts";

/** One owner for all runs: each run continues with the records of the earlier runs. */
let stores: Stores;
let cleanUp: () => Promise<void>;
beforeAll(async () => {
  ({ stores, cleanUp } = await openTemporaryStores());
});
afterAll(() => cleanUp());

const IDS = ["a", "b", "c", "d", "e"];
const PROCESSES = ["p1", "p2"];

const step = fc.oneof(
  fc.record({
    what: fc.constantFrom("key", "revoke", "account", "upstream", "remove", "model", "file"),
    id: fc.constantFrom(...IDS),
    value: fc.nat(9),
  }),
  fc.record({ what: fc.constantFrom("disconnect", "reconnect", "read"), id: fc.constantFrom(...PROCESSES), value: fc.nat(9) }),
  fc.record({ what: fc.constantFrom("turns", "new owner"), id: fc.constant(""), value: fc.nat(9) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const keyOf = (id: string, value: number): KeyRecord => ({
  id,
  name: `${value}`,
  accountId: id,
  hash: new TextEncoder().encode(`${id}-${value}`),
  previous: null,
  models: ["*"],
  limits: readRates({ requests_per_minute: value + 1 }),
  caps: { ...NO_CAPS, dayNanos: BigInt(value) },
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
  imported: null,
  pausedAtMs: null,
  archivedAtMs: null,
});

async function putAccount(id: string, name: string): Promise<void> {
  await stores.accounts.update(id, () => ({ record: makeAccount(id, name, 1), change: CHANGE }));
}

/** Adds the account before its key. */
async function putKey(id: string, value: number): Promise<void> {
  if (!stores.accounts.find(id)) await putAccount(id, "new");
  if (!stores.keys.find(id)) await stores.keys.add(keyOf(id, value), CHANGE);
  else await stores.keys.update(id, () => ({ record: keyOf(id, value), change: CHANGE }));
}

async function change({ what, id, value }: Step): Promise<void> {
  const { keys, catalog } = stores;
  if (what === "key") await putKey(id, value);
  if (what === "revoke") await keys.revoke(id, (key) => key && { record: { ...key, revokedAtMs: value }, change: CHANGE });
  if (what === "account") await putAccount(id, `${value}`);
  if (what === "upstream") await putUpstream(catalog, upstream(id, `https://${value % 2}.example/v1`, `sk-${value}`), CHANGE);
  if (what === "remove") await catalog.removeUpstream(id, (current) => current && { change: CHANGE });
  if (what === "model") await putModel(catalog, declaredModel(id, { free: true, context_window: value + 1 }), announce(id), CHANGE);
  if (what === "file") await declare(catalog, "file", foreign(`file-${value}`, IDS.slice(0, value % 3), id));
}

/** Checks that every key that a process has also has its account there: a request that finds the key needs the account. */
function expectAccounts({ keys, accounts }: Replicas): void {
  for (const id of IDS) if (keys.find(id)) expect(accounts.find(id)).toBeDefined();
}

/** Includes the plaintext of credentials, which comparisons ignore. */
function upstreamsOf(catalog: CatalogReader): unknown[] {
  return [...catalog.upstreams().values()].map((settings) => [settings, credentialsOf(settings).map((each) => each.reveal())]);
}

function expectSame({ keys, accounts, catalog, isCurrent }: Replicas): void {
  expect(isCurrent).toBe(true);
  for (const id of stores.keys.ids()) expect(keys.find(id)).toStrictEqual(stores.keys.find(id));
  for (const id of stores.accounts.ids()) expect(accounts.find(id)).toStrictEqual(stores.accounts.find(id));
  expect([...catalog.snapshot()]).toStrictEqual([...stores.catalog.snapshot()]);
  expect(upstreamsOf(catalog)).toStrictEqual(upstreamsOf(stores.catalog));
}

function objectsOf({ keys, accounts, catalog }: Replicas): unknown[] {
  return [...IDS.flatMap((id) => [keys.find(id), accounts.find(id)]), catalog.snapshot(), catalog.upstreams()];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("after any changes, lost connections and new owners, every replica equals the owner, and a reconnect replaces no object", async () => {
  const same = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    let feed = new ReplicaFeed(stores, 2);
    const links = new LinkedServices(feed);
    const processes = new Map<string, Replicas>();
    for (const id of PROCESSES)
      processes.set(
        id,
        links.add(id, () => new Replicas()),
      );
    for (const each of steps) {
      if (each.what === "disconnect") links.disconnect(each.id);
      else if (each.what === "reconnect") await links.reconnect(each.id);
      else if (each.what === "read") expectAccounts(processes.get(each.id)!);
      else if (each.what === "turns") for (let count = 0; count < each.value; count++) await turn();
      else if (each.what === "new owner") await links.replaceOwner((feed = new ReplicaFeed(stores, 2)));
      else await change(each);
    }
    for (const id of PROCESSES) await links.reconnect(id);
    await links.idle();
    for (const replicas of processes.values()) expectSame(replicas);

    const before = [...processes.values()].map(objectsOf);
    for (const id of PROCESSES) {
      links.disconnect(id);
      await links.reconnect(id);
    }
    await links.idle();
    for (const [at, replicas] of [...processes.values()].entries()) {
      expectSame(replicas);
      expect(objectsOf(replicas).every((each, index) => each === before[at]![index])).toBe(true);
    }
    for (const id of PROCESSES) links.end(id);
  });
  await fc.assert(same, runs(150));
});
