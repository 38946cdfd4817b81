import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryAuthority } from "../../../../test/lease-model/memory-authority.ts";
import { until } from "../../../../test/support/eventually.ts";
import { answer, hold as sampleHold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import type { Durability } from "../../database.ts";
import { readProcessJournal } from "../journal/process-journal.ts";
import { LeasedLedgerStore } from "./leased-ledger-store.ts";
import { CreditSlices } from "./credit-slices.ts";
import type { Purse } from "../../../money/purse.ts";

const ACCOUNT: Purse = { scope: "account", id: "a" };
const KEY: Purse = { scope: "key", id: "a2" };
const NAMES = { accountId: "a", keyId: "a1", actor: "a1" };

let folder: string;
let authority: MemoryAuthority;
let clockMs: number;
let stores: LeasedLedgerStore[];
const failures: (string | undefined)[] = [];
const fences: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-leased-"));
  authority = new MemoryAuthority();
  authority.model.credit("a", 1000n);
  clockMs = 0;
  stores = [];
  failures.length = fences.length = 0;
});
afterEach(async () => {
  authority.isAway = false;
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(instanceId: string, durability: Durability = "process"): Promise<LeasedLedgerStore> {
  const own = mkdtempSync(join(folder, `${instanceId}-`));
  const store = new LeasedLedgerStore({
    instanceId,
    authority,
    folder: own,
    durability,
    monotonicMs: () => clockMs,
    report: (failure) => failures.push(failure),
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: ({ message }) => fences.push(message),
  });
  await store.start();
  authority.listeners.set(instanceId, store);
  stores.push(store);
  return store;
}

/** Admission, as in the gateway: widens the slice if it is too small, then holds if the slice covers the amount. */
async function admit(store: LeasedLedgerStore, requestId: string, amount: bigint, names = NAMES): Promise<boolean> {
  if (store.availableOf(ACCOUNT) < amount) await store.widen([ACCOUNT], amount);
  if (store.availableOf(ACCOUNT) < amount) return false;
  await store.hold(sampleHold(requestId, amount, names));
  return true;
}

test("holds and charges from its slice without a round trip, and ships its entries", async () => {
  const store = await open("p1");
  await store.widen([ACCOUNT], 100n);
  const shipments = authority.shipments;
  await store.hold(sampleHold("r1", 40n, NAMES));
  const entry = await store.settle("r1", settlement(30n));
  expect([entry.amountNanos, authority.shipments]).toEqual([30n, shipments]);
  expect(store.balanceOf("a")).toEqual({ creditNanos: 970n, heldNanos: 0n });
  await until(() => authority.model.books.balanceOf("a").creditNanos === 970n);
  expect(authority.model.entries.map(({ kind }) => kind)).toEqual(["grant", "hold", "settle"]);
});

test("two processes with 200 concurrent requests admit what the credit pays for, and no more", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  const admitted = await Promise.all(Array.from({ length: 200 }, (_, index) => admit(index % 2 ? one : two, `r${index}`, 100n)));
  const served = admitted.flatMap((isAdmitted, index) => (isAdmitted ? [index] : []));
  expect(served.length).toBeLessThanOrEqual(10);
  for (const index of served) await (index % 2 ? one : two).settle(`r${index}`, settlement(100n));
  let retried = 0;
  for (let index = 0; index < 20; index++) if (await admit(index % 2 ? one : two, `again${index}`, 100n)) retried++;
  expect(served.length + retried).toBe(10);
});

test("a slice that another process does not use is recalled for a request", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await one.widen([ACCOUNT], 900n);
  expect(await admit(two, "r1", 800n)).toBe(true);
  expect(one.availableOf(ACCOUNT)).toBe(0n);
});

test("a recall does not take what a request is waiting for", async () => {
  const store = await open("p1");
  await store.widen([ACCOUNT], 100n);
  const waiting = admit(store, "r1", 600n);
  const recalled = store.recalled(ACCOUNT);
  expect(await waiting).toBe(true);
  await recalled;
  expect(store.availableOf(ACCOUNT)).toBe(0n);
});

test("a purse without credit costs no more round trips until it has credit again", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await admit(two, "held", 1000n);
  expect(await admit(one, "r1", 10n)).toBe(false);
  const { shipments } = authority;
  expect(await admit(one, "r2", 10n)).toBe(false);
  expect(authority.shipments).toBe(shipments);
  two.release("held", "failed", NOW);
  one.onCreditAvailable(ACCOUNT);
  expect(await admit(one, "r3", 10n)).toBe(true);
});

describe("while the authority is away", () => {
  test("more changes than one shipment has are sent in order, and a lease asked for meanwhile is not taken twice", async () => {
    const store = await open("p1");
    await store.widen([ACCOUNT], 200n);
    authority.isAway = true;
    store.disconnected();
    await store.widen([ACCOUNT], 900n).catch(() => undefined);
    for (let index = 0; index < 300; index++) {
      await store.hold(sampleHold(`r${index}`, 1n, NAMES));
      await store.settle(`r${index}`, settlement(0n));
    }
    authority.isAway = false;
    store.connected();
    await until(() => store.state().unwrittenEntries === 0);
    expect(store.availableOf(ACCOUNT)).toBe(authority.model.core.balances.leases.of("p1", ACCOUNT));
  });

  test("admits until the deadline, then rejects with overloaded, and still settles into its journal", async () => {
    const store = await open("p1");
    await store.widen([ACCOUNT], 500n);
    authority.isAway = true;
    await store.hold(sampleHold("r1", 40n, NAMES));
    clockMs += 10_001;
    const [second] = await Promise.allSettled([store.hold(sampleHold("r2", 40n, NAMES))]);
    expect(second).toMatchObject({ status: "rejected", reason: { code: "overloaded", status: 503 } });
    await store.settle("r1", settlement(30n));
    await until(() => failures.includes("the owner process does not answer"));
    authority.isAway = false;
    await until(() => authority.model.books.balanceOf("a").creditNanos === 970n);
    expect(failures.at(-1)).toBeUndefined();
    await until(() =>
      store.hold(sampleHold("r3", 40n, NAMES)).then(
        () => true,
        () => false,
      ),
    );
  });

  test("an account that is short is not called insolvent: the request is rejected with overloaded", async () => {
    const store = await open("p1");
    authority.isAway = true;
    const [widened] = await Promise.allSettled([store.widen([ACCOUNT], 500n)]);
    expect(widened).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
  });

  test("a charge above its hold takes what the slice has", async () => {
    const store = await open("p1");
    await admit(store, "r1", 100n);
    const available = store.availableOf(ACCOUNT);
    authority.isAway = true;
    const { amountNanos, unchargedNanos } = await store.settle("r1", settlement(900n));
    expect([amountNanos, unchargedNanos]).toEqual([100n + available, 800n - available]);
  });
});

test("a charge above its hold is leased from the account, and may overdraw it once", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await admit(one, "r1", 100n);
  await admit(two, "r2", 100n);
  expect((await one.settle("r1", settlement(1500n))).amountNanos).toBe(1500n);
  const available = two.availableOf(ACCOUNT);
  expect((await two.settle("r2", settlement(1500n))).amountNanos).toBe(100n + available);
});

test("a settlement with an idempotent reply resolves when the authority has both", async () => {
  const store = await open("p1");
  await admit(store, "r1", 100n);
  await store.settle("r1", settlement(70n), answer("a1:k"));
  expect(authority.replies.get("a1:k")?.requestId).toBe("r1");
  expect(authority.model.books.balanceOf("a").creditNanos).toBe(930n);
  expect((await store.findReply("a1:k", NOW))?.requestId).toBe("r1");
});

describe("with durability cluster", () => {
  test("a settlement resolves when the authority has it, and those made meanwhile share a shipment", async () => {
    const store = await open("p1", "cluster");
    await store.widen([ACCOUNT], 900n);
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
    for (const id of ids) await store.hold(sampleHold(id, 10n, NAMES));
    await store.catchUp();
    const { shipments } = authority;
    const settled = ids.map(async (id) => {
      await store.settle(id, settlement(7n));
      expect(authority.model.books.open.has(id)).toBe(false);
    });
    await Promise.all(settled);
    expect(authority.model.books.balanceOf("a").creditNanos).toBe(1000n - 350n);
    expect(authority.shipments - shipments).toBeLessThanOrEqual(5);
  });

  test("a hold does not wait for the authority", async () => {
    const store = await open("p1", "cluster");
    await store.widen([ACCOUNT], 100n);
    authority.isAway = true;
    await store.hold(sampleHold("r1", 40n, NAMES));
    expect(store.state().openHolds).toBe(1);
  });

  test("a settlement waits while the authority is away, and is charged once when it is back", async () => {
    const store = await open("p1", "cluster");
    await admit(store, "r1", 100n);
    authority.isAway = true;
    let isSettled = false;
    const settling = store.settle("r1", settlement(70n)).finally(() => (isSettled = true));
    await until(() => failures.length > 0);
    clockMs += 10_001;
    const [refused] = await Promise.allSettled([store.hold(sampleHold("r2", 40n, NAMES))]);
    expect(refused).toMatchObject({ reason: { code: "overloaded" } });
    expect(isSettled).toBe(false);
    authority.isAway = false;
    expect((await settling).amountNanos).toBe(70n);
    expect(authority.model.entries.filter(({ kind }) => kind === "settle")).toHaveLength(1);
    expect(authority.model.books.balanceOf("a").creditNanos).toBe(930n);
  });

  test("a shutdown without the authority ends the wait with overloaded, and leaves the charge in the journal", async () => {
    const store = await open("p1", "cluster");
    await admit(store, "r1", 100n);
    authority.isAway = true;
    const settling = Promise.allSettled([store.settle("r1", settlement(70n))]);
    await store.close();
    expect(await settling).toMatchObject([{ status: "rejected", reason: { code: "overloaded", status: 503 } }]);
    const [own] = new Bun.Glob("p1-*/").scanSync({ cwd: folder, onlyFiles: false });
    const { appliedSeq } = authority.model.core.find("p1")!;
    expect(readProcessJournal(join(folder, own!), appliedSeq).map(({ kind }) => kind)).toContain("settle");
  });
});

test("the spend of a key with a cap is leased too", async () => {
  const store = await open("p1");
  await store.widen([ACCOUNT, KEY], 100n);
  await store.hold(sampleHold("r1", 60n, { ...NAMES, keyId: "a2" }));
  expect(store.availableOf(KEY)).toBeGreaterThanOrEqual(40n);
  expect(store.spendingOf("key", "a2", NOW).heldNanos).toBe(60n);
  await store.settle("r1", settlement(60n));
  expect(store.spendingOf("key", "a2", authority.model.nowMs)).toMatchObject({ heldNanos: 0n, totalNanos: 60n });
});

test("credit that is freed while a refusal is on its way is found by the next request", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await admit(two, "held", 1000n);
  const ship = authority.ship.bind(authority);
  authority.ship = async (shipment) => {
    const shipped = await ship(shipment);
    if (shipment.instanceId === "p1") one.onCreditAvailable(ACCOUNT);
    return shipped;
  };
  expect(await admit(one, "r1", 10n)).toBe(false);
  two.release("held", "failed", NOW);
  expect(await admit(one, "r2", 10n)).toBe(true);
});

test("requests are rejected with overloaded, not for lack of credit, while the authority waits for the leases of other processes", async () => {
  const [one] = [await open("p1"), await open("p2")];
  authority.model.restart();
  authority.model.start();
  for (const store of stores) store.disconnected();
  const [widened] = await Promise.allSettled([one.widen([ACCOUNT], 10n)]);
  expect(widened).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
  await until(() => admit(one, `r${Math.random()}`, 10n).catch(() => false));
});

test("an idempotent reply cannot be read while the authority is away", async () => {
  const store = await open("p1");
  authority.isAway = true;
  const [found] = await Promise.allSettled([store.findReply("a1:k", NOW)]);
  expect(found).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
});

test("thousands of changes in one turn fit into the journal", async () => {
  const store = await open("p1");
  await store.widen([ACCOUNT], 900n);
  await Promise.all(Array.from({ length: 3000 }, (_, index) => store.hold(sampleHold(`r${index}`, 0n, NAMES))));
  await until(() => authority.model.books.open.size === 3000);
});

test("a process that was written off admits nothing, has to end, once, and what it still settles is a late charge of the same key and end user", async () => {
  const store = await open("p1", "cluster");
  await store.widen([ACCOUNT], 200n);
  const attribution = { user: "ada", tags: { team: "red" } };
  for (const requestId of ["r1", "r2"]) await store.hold(sampleHold(requestId, 100n, { ...NAMES, attribution }));
  await store.catchUp();
  authority.model.end("p1", "written_off");
  expect((await store.settle("r1", settlement(70n))).amountNanos).toBe(70n);
  expect((await store.settle("r2", settlement(30n))).amountNanos).toBe(30n);
  expect([fences, store.mayAdmit]).toEqual([["this process was written off"], false]);
  const charges = authority.model.entries.filter((entry) => entry.kind === "settle");
  expect(charges).toMatchObject([
    { requestId: "late:r1", amountNanos: 70n, attribution, usage: USAGE },
    { requestId: "late:r2", amountNanos: 30n, attribution, usage: USAGE },
  ]);
  const { accountId, keyId } = charges[0]!;
  for (const [scope, id] of [
    ["account", accountId],
    ["key", keyId],
  ] as const) {
    expect(authority.model.books.spendingOf(scope, id, NOW)).toMatchObject({ totalNanos: 100n, dayNanos: 100n });
  }
});

test("a shutdown returns the slices, and leaves a journal without changes to apply", async () => {
  const store = await open("p1");
  await admit(store, "r1", 100n);
  await store.settle("r1", settlement(70n));
  await store.close();
  expect(authority.model.core.balances.leases.sumOf(ACCOUNT)).toBe(0n);
  const { appliedSeq } = authority.model.core.find("p1")!;
  const [own] = new Bun.Glob("p1-*/").scanSync({ cwd: folder, onlyFiles: false });
  expect(readProcessJournal(join(folder, own!), appliedSeq)).toEqual([]);
});

test("a statement of leases after a reconnection does not take back what a request waits for", () => {
  const slices = new CreditSlices(() => undefined);
  const purse = { scope: "account", id: "acme" } as const;
  slices.connected(0, []);
  slices.widen(purse, 100n);
  slices.acknowledge(1, []);
  slices.connected(1, []);
  expect(slices.unapplied.map(({ kind }) => kind)).toEqual(["lease", "statement", "lease"]);
  expect(slices.unapplied.at(-1)).toMatchObject({ purse, bound: "at_least", nanos: 100n });
});

test("a cost above the hold is charged in full where the process connects again meanwhile", async () => {
  const store = await open("p1");
  await admit(store, "r1", 100n);
  const cost = 100n + store.availableOf(ACCOUNT) + 1n;
  store.disconnected();
  expect(await store.settle("r1", settlement(cost))).toMatchObject({ amountNanos: cost, unchargedNanos: 0n });
  await until(() => authority.model.core.balances.leases.sumOf(ACCOUNT) === 0n);
});

const purseOf = (index: number): Purse => ({ scope: "user", id: `account:a:u${index}` });

test("slices of end users that are idle are returned and forgotten, and never more than 20,000 are kept", () => {
  const slices = new CreditSlices(() => undefined);
  const grant = (purse: Purse, leaseNanos: bigint): void => {
    const sums = { creditNanos: 1000n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n };
    slices.acknowledge(slices.lastSeq, [{ purse, atMs: NOW, leaseNanos, elsewhereNanos: 0n, isStranded: false, ...sums }]);
  };
  const knownOf = (users: number): number =>
    Array.from({ length: users }, (_, index) => slices.find(purseOf(index))).filter(Boolean).length;
  const users = 30_000;
  let most = 0;
  for (let index = 0; index < users; index++) {
    const purse = purseOf(index);
    slices.widen(purse, 10n);
    grant(purse, 10n);
    slices.hold(sampleHold(`r${index}`, 10n, { ...NAMES, attribution: { user: `u${index}`, counts: ["user@account"] } }));
    slices.settle(`r${index}`, settlement(8n));
    slices.acknowledge(slices.lastSeq, []);
    slices.forgetUpTo(slices.lastSeq);
    if (index % 10_000 === 9999) most = Math.max(most, knownOf(index + 1));
  }
  expect(most).toBeLessThanOrEqual(20_000);
  slices.returnUnused(3);
  slices.returnUnused(3);
  slices.acknowledge(slices.lastSeq, []);
  expect(knownOf(users)).toBe(0);
  // A late reply about a forgotten slice restores the slice only if it has a lease.
  grant(purseOf(1), 0n);
  expect(slices.find(purseOf(1))).toBeUndefined();
});
