import { afterEach, beforeEach, expect, test } from "bun:test";
import { makeAccount } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { ownChange } from "../../access/change.ts";
import type { ConnectedProcess } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson } from "../../lib/ipc/tagged-json.ts";
import { NO_CAPS, NO_LIMITS } from "../../money/limits.ts";
import { purseKey, type PurseKey } from "../../money/purse.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { openReplicatedStores, openTemporaryStores, type ReplicatedStores } from "../../../test/support/replicated-stores.ts";
import { announce, CHANGE, declaredModel, putModel, putUpstream, upstream } from "../catalog/catalog-examples.contract.ts";
import { onCapsChanged } from "./caps-changes.ts";
import { ReplicaFeed } from "./replica-feed.ts";
import { Replicas } from "./replicas.ts";

/** Enough keys for several parts of a snapshot. */
const SEVEN = ["a", "b", "c", "d", "e", "f", "g"];
const KEY_CHANGE = ownChange("key.test", { kind: "key", id: "a" }, null, 1);

const key = (id: string): KeyRecord => ({
  id,
  name: id,
  accountId: "default",
  hash: new TextEncoder().encode(`hash-${id}`),
  previous: null,
  models: ["*"],
  limits: NO_LIMITS,
  caps: NO_CAPS,
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
  imported: null,
  pausedAtMs: null,
  archivedAtMs: null,
});

let open: ReplicatedStores;
beforeEach(async () => {
  open = await openReplicatedStores();
});
afterEach(() => open.cleanUp());

const addKeys = async (...ids: readonly string[]): Promise<void> => {
  for (const id of ids) await open.stores.keys.add(key(id), KEY_CHANGE);
};
const updateKey = (id: string, fields: Partial<KeyRecord>): Promise<unknown> =>
  open.stores.keys.update(id, (current) => ({ record: { ...current!, ...fields }, change: KEY_CHANGE }));
const revokeKey = (id: string): Promise<unknown> =>
  open.stores.keys.revoke(id, (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: KEY_CHANGE }));

/** A process that never answers, and the timeout of each call to it. */
function silentProcess(id: string): { process: ConnectedProcess; timeouts: (number | undefined)[] } {
  const timeouts: (number | undefined)[] = [];
  const call: ConnectedProcess["call"] = (_method, _body, timeoutMs) => {
    timeouts.push(timeoutMs);
    return timeoutMs === undefined ? new Promise(() => undefined) : Promise.reject(new Error("was not answered in time"));
  };
  return { process: { id, call, notify: () => undefined }, timeouts };
}

test("a process is ready once it has everything, also many parts of it", async () => {
  await addKeys(...SEVEN);
  const late = await open.links.start("p2", () => new Replicas());
  expect([late.isCurrent, late.keys.find("g")]).toEqual([false, undefined]);
  await late.ready;
  expect(late.isCurrent).toBe(true);
  for (const id of SEVEN) expect(late.keys.find(id)).toEqual(key(id));
  expect(late.accounts.find("default")).toEqual(open.stores.accounts.find("default"));
});

test("a change during the snapshot is in force, before and after its part was sent", async () => {
  await addKeys(...SEVEN);
  const late = await open.links.start("p2", () => new Replicas());
  const updates = [updateKey("a", { name: "changed" }), updateKey("g", { name: "changed" }), addKeys("h")];
  await Promise.all(updates);
  await late.ready;
  expect(["a", "g", "h"].map((id) => late.keys.find(id)?.name)).toEqual(["changed", "changed", "h"]);
});

test("a propagated change is in force in every process", async () => {
  await addKeys("a");
  const second = await open.links.start("p2", () => new Replicas());
  await second.ready;
  await revokeKey("a");
  const known = (): (number | null | undefined)[] => [open.replicas, second].map(({ keys }) => keys.find("a")?.revokedAtMs);
  expect(known()).toEqual([null, null]);
  await open.feed.propagated();
  expect(known()).toEqual([50, 50]);
});

test("a revocation that could not be written is in force in every process", async () => {
  await addKeys("a");
  // A value that the database cannot store.
  const failing = open.stores.keys.revoke("a", (current) => ({
    record: { ...current!, revokedAtMs: 50 },
    change: { ...KEY_CHANGE, actor: null as unknown as string },
  }));
  const [result] = await Promise.allSettled([failing]);
  expect([result.status, open.stores.keys.isUnwritten("a")]).toEqual(["rejected", true]);
  await open.feed.propagated();
  expect(open.replicas.keys.find("a")?.revokedAtMs).toBe(50);
});

test("nothing waits where nothing has changed since, or no process is connected", async () => {
  const { process, timeouts } = silentProcess("p2");
  open.feed.connected(process);
  await open.feed.propagated();
  expect(timeouts.filter((each) => each !== undefined)).toEqual([]);
  await addKeys("a");
  await open.feed.propagated();
  await open.feed.propagated();
  // The change was not confirmed, so the process is asked again.
  expect(timeouts.filter((each) => each !== undefined)).toEqual([250, 250]);
  open.feed.disconnected("p2");
  await open.feed.propagated();
  expect(timeouts.filter((each) => each !== undefined)).toHaveLength(2);
  expect(open.replicas.keys.find("a")).toEqual(key("a"));
});

test("a process is asked once for any number of changes", async () => {
  const calls: string[] = [];
  const call: ConnectedProcess["call"] = (method) => {
    calls.push(method);
    return Promise.resolve(null);
  };
  open.feed.connected({ id: "p2", call, notify: () => undefined });
  await open.links.idle();
  calls.length = 0;
  await addKeys("a", "b");
  await open.feed.propagated();
  await open.feed.propagated();
  expect(calls).toEqual(["feed.handled"]);
});

test("a snapshot for a process that has gone ends, and one that receives slowly is not overrun", async () => {
  await addKeys(...SEVEN);
  const sent: string[] = [];
  const replies: (() => void)[] = [];
  const call: ConnectedProcess["call"] = () => new Promise((resolve) => replies.push(() => resolve(null)));
  open.feed.connected({ id: "p2", call, notify: (method) => void sent.push(method) });
  expect(sent).toEqual(["feed.begin", "feed.catalog", "feed.accounts"]);
  replies[0]!();
  await eventually(
    () => sent.length,
    (count) => count === 4,
  );
  open.feed.disconnected("p2");
  replies[1]!();
  await open.links.idle();
  expect(sent).toEqual(["feed.begin", "feed.catalog", "feed.accounts", "feed.keys"]);
});

test("a change of the catalog has the changed models, and names the others", async () => {
  const { catalog } = open.stores;
  await putUpstream(catalog, upstream("u", undefined, "sk-first"), CHANGE);
  for (const id of ["m", "n"]) await putModel(catalog, declaredModel(id), announce(id), CHANGE);
  const sent: unknown[] = [];
  const { process } = silentProcess("p2");
  open.feed.connected({ ...process, notify: (method, body) => void (method === "feed.catalog" && sent.push(fromTaggedJson(body))) });
  await putModel(catalog, declaredModel("n", { free: true, context_window: 7 }), undefined, CHANGE);
  const [model, changed] = [catalog.snapshot().get("m")!, catalog.snapshot().get("n")!];
  expect(sent).toMatchObject([
    {
      catalog: new Map([
        ["m", model],
        ["n", { ...changed, contextWindow: undefined }],
      ]),
      upstreams: new Map([["u", { id: "u" }]]),
    },
    {
      catalog: new Map([
        ["m", null],
        ["n", changed],
      ]),
      upstreams: new Map([["u", null]]),
    },
  ]);
  await open.feed.propagated();
  expect([...open.replicas.catalog.snapshot()]).toEqual([...catalog.snapshot()]);
});

test("without the owner, replicas stay in force but are not current until the next snapshot is complete", async () => {
  await addKeys(...SEVEN);
  await putUpstream(open.stores.catalog, upstream("u", undefined, "sk-first"), CHANGE);
  await putModel(open.stores.catalog, declaredModel("m"), announce("m"), CHANGE);
  await open.feed.propagated();
  const { replicas, links } = open;
  const objects = (): unknown[] => [
    ...SEVEN.filter((id) => id !== "b").map((id) => replicas.keys.find(id)),
    replicas.accounts.find("default"),
    replicas.catalog.snapshot(),
    replicas.catalog.upstreams(),
  ];
  const before = objects();
  links.disconnect("p1");
  await revokeKey("b");
  expect([replicas.isCurrent, replicas.keys.find("b")?.revokedAtMs]).toEqual([false, null]);
  await links.reconnect("p1");
  expect(replicas.isCurrent).toBe(false);
  await eventually(
    () => replicas.isCurrent,
    (isCurrent) => isCurrent,
  );
  expect(replicas.keys.find("b")?.revokedAtMs).toBe(50);
  // Equal records stay the same objects: caches and circuit breakers belong to them.
  for (const [at, each] of objects().entries()) expect(each).toBe(before[at]);
});

test("removes keys and accounts that a restored database lacks, also after an interrupted snapshot", async () => {
  await addKeys("a", "b", "c");
  await open.stores.accounts.update("acme", () => ({ record: makeAccount("acme", "Acme", 1), change: CHANGE }));
  await open.feed.propagated();
  expect([open.replicas.keys.find("c"), open.replicas.accounts.find("acme")]).not.toContain(undefined);
  const restored = await openTemporaryStores();
  open.links.disconnect("p1");
  await open.links.reconnect("p1");
  expect(open.replicas.isCurrent).toBe(false);
  await restored.stores.keys.add(key("a"), KEY_CHANGE);
  await open.links.replaceOwner(new ReplicaFeed(restored.stores));
  await eventually(
    () => open.replicas.isCurrent,
    (isCurrent) => isCurrent,
  );
  expect(["a", "b", "c"].map((id) => open.replicas.keys.find(id)?.id)).toEqual(["a", undefined, undefined]);
  expect(open.replicas.accounts.find("acme")).toBeUndefined();
  await restored.cleanUp();
});

test("reports keys and accounts whose spend caps have changed, and no other change", async () => {
  const changed: PurseKey[] = [];
  onCapsChanged(open.stores, (purse) => void changed.push(purseKey(purse)));
  await addKeys("a");
  await updateKey("a", { name: "renamed", caps: { ...NO_CAPS } });
  expect(changed).toEqual([]);
  await updateKey("a", { caps: { ...NO_CAPS, monthNanos: 5n } });
  const { accounts } = open.stores;
  await accounts.update("default", (current) => ({ record: { ...current!, caps: { ...NO_CAPS, totalNanos: 0n } }, change: CHANGE }));
  await updateKey("a", { caps: NO_CAPS });
  await accounts.update("default", (current) => ({ record: { ...current!, name: "renamed" }, change: CHANGE }));
  expect(changed).toEqual(["key:a", "account:default", "key:a"]);
});
