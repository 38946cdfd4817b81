import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../../test/support/eventually.ts";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { answer, grant, hold as sampleHold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import type { Purse } from "../../../money/purse.ts";
import { openSqlite, openSqliteWriter } from "../../sqlite/sqlite-database.ts";
import { migrate } from "../../migrations/migrate.ts";
import { EmbeddedLedgerStore } from "../embedded-ledger-store.ts";
import { EmbeddedAuthority } from "./embedded-authority.ts";
import { LeasedLedgerStore } from "./leased-ledger-store.ts";
import { LedgerService } from "./ledger-service.ts";
import { RemoteAuthority } from "./remote-authority.ts";

const ACCOUNT: Purse = { scope: "account", id: "acme" };
const KEY: Purse = { scope: "key", id: "key-1" };

let folder: string;
let ledger: EmbeddedLedgerStore;
let authority: EmbeddedAuthority;
let links: LinkedServices;
let processes: LeasedLedgerStore[];
let fences: string[];
let clockMs: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-service-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  await database.destroy();
  [processes, fences, clockMs] = [[], [], 0];
  links = new LinkedServices(openOwner([]));
  await ledger.addCredit(grant(1000n));
});
afterEach(async () => {
  for (const process of processes) await process.close();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

function openOwner(survivors: readonly string[]): LedgerService {
  ledger = new EmbeddedLedgerStore(openSqliteWriter(join(folder, "tollgate.db"), "process"), {
    nowMs: () => NOW,
    report: () => undefined,
    isShared: true,
  });
  authority = new EmbeddedAuthority(ledger, ({ scope }) => (scope === "key" ? { ...NO_CAPS, dayNanos: 2n ** 60n } : NO_CAPS));
  authority.start(survivors);
  ledger.share(authority);
  return new LedgerService(authority);
}

async function open(instanceId: string): Promise<LeasedLedgerStore> {
  const remote = await links.start(instanceId, (owner) => new RemoteAuthority(owner));
  const process = new LeasedLedgerStore({
    instanceId,
    authority: remote,
    folder: mkdtempSync(join(folder, `${instanceId}-`)),
    durability: "process",
    monotonicMs: () => clockMs,
    report: () => undefined,
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: (error) => fences.push(error.name),
  });
  remote.listen(process);
  await process.start();
  processes.push(process);
  return process;
}

async function admit(process: LeasedLedgerStore, requestId: string, amount: bigint): Promise<boolean> {
  await process.widen([ACCOUNT, KEY], amount);
  if (process.availableOf(ACCOUNT) < amount) return false;
  await process.hold(sampleHold(requestId, amount));
  return true;
}

test("entries, figures and idempotent replies pass the connection unchanged", async () => {
  const process = await open("p1");
  expect(await admit(process, "r1", 100n)).toBe(true);
  const entry = await process.settle("r1", settlement(70n, { costVersion: "c" }), answer("k:1", { body: undefined }));
  const { hold, closing } = (await ledger.findRequest("r1"))!;
  expect(closing).toEqual({ ...entry, id: 3, holdId: hold.id });
  expect(await process.findReply("k:1", NOW)).toEqual(await ledger.findReply("k:1", NOW));
  expect(await process.findReply("k:2", NOW)).toBeUndefined();
  await process.widen([ACCOUNT, KEY], 900n);
  expect([process.balanceOf("acme").creditNanos, process.spendingOf("key", "key-1", NOW).dayNanos]).toEqual([930n, 70n]);
});

test("a purse is recalled from another process, and a process that was refused is notified of credit", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await one.widen([ACCOUNT, KEY], 1000n);
  expect([await admit(two, "r1", 1000n), one.availableOf(ACCOUNT)]).toEqual([true, 0n]);
  expect(await admit(one, "r2", 10n)).toBe(false);
  two.release("r1", "failed", NOW);
  await until(() => admit(one, "r3", 10n));
});

test("credit that a process leases is not lacking while that process is away", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await one.widen([ACCOUNT, KEY], 1000n);
  links.disconnect("p1");
  const refusals = await Promise.allSettled([two.widen([ACCOUNT, KEY], 10n), ledger.leases!.widen([ACCOUNT], 10n)]);
  expect(refusals).toMatchObject([{ reason: { code: "overloaded" } }, { reason: { code: "overloaded" } }]);
  // Also if nobody asks for the purse again.
  expect(await Promise.allSettled([two.widen([ACCOUNT, KEY], 10n)])).toMatchObject([{ reason: { code: "overloaded" } }]);
  await authority.end("p1");
  await until(() => admit(two, "r1", 10n).catch(() => false));
});

test("credit is not lacking while a connected process does not answer a recall", async () => {
  const [one, two] = [await open("p1"), await open("p2")];
  await one.widen([ACCOUNT, KEY], 1000n);
  const returned = Promise.withResolvers<void>();
  const returnLater = spyOn(one, "recalled").mockReturnValue(returned.promise);
  expect(await Promise.allSettled([two.widen([ACCOUNT, KEY], 10n)])).toMatchObject([{ reason: { code: "overloaded" } }]);
  returnLater.mockRestore();
  returned.resolve();
  clockMs += 1000;
  await until(() => admit(two, "r1", 10n).catch(() => false));
});

test("a new owner learns leases and open holds from the processes, and closes no hold of theirs", async () => {
  const process = await open("p1");
  await admit(process, "r1", 600n);
  await until(() => ledger.state().openHolds === 1);
  links.loseOwner();
  await ledger.close();
  const service = openOwner(["p1"]);
  expect([authority.isLeasing, ledger.state().openHolds]).toEqual([false, 1]);
  await links.replaceOwner(service);
  await until(() => authority.isLeasing);
  expect(authority.instances()).toMatchObject([{ id: "p1", state: "live", openHolds: 1 }]);
  expect(authority.availableOf(ACCOUNT)).toBeLessThanOrEqual(400n);
  await process.settle("r1", settlement(500n));
  await until(() => ledger.balanceOf("acme").creditNanos === 500n);
});

test("progress of responses in flight is reported", async () => {
  const process = await open("p1");
  await admit(process, "r1", 100n);
  const progress = {
    costNanos: 2n ** 60n,
    upstreamCostNanos: 2n ** 59n,
    usage: USAGE,
    provenance: "measured",
    upstream: "u",
    upstreamModel: "m",
  } as const;
  process.watch("r1", () => progress);
  clockMs += 1000;
  process.connected();
  await until(() => ledger.database.progress.reported.has("r1"));
  expect(ledger.database.progress.reported.get("r1")).toEqual(progress);
});

test("a lost connection does not mean a lack of credit, and a process that has ended is fenced off", async () => {
  const process = await open("p1");
  links.disconnect("p1");
  expect(authority.find("p1")!.state).toBe("lost");
  const [widened] = await Promise.allSettled([process.widen([ACCOUNT], 10n)]);
  expect(widened).toMatchObject({ reason: { code: "overloaded" } });
  await links.reconnect("p1");
  await until(() => authority.find("p1")!.state === "live");
  await authority.end("p1");
  const inFlight = process.shipAll();
  await Promise.resolve();
  // Waits for the call in flight. A second call of `fenced` would be a second SIGTERM, which ends the requests in flight.
  await Promise.allSettled([inFlight, process.shipAll()]);
  expect(fences).toEqual(["FencedError"]);
});
