import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../../test/support/eventually.ts";
import { answer, grant, hold as sampleHold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { NO_CAPS, type Caps } from "../../../money/limits.ts";
import type { Purse } from "../../../money/purse.ts";
import { openSqlite, openSqliteWriter } from "../../sqlite/sqlite-database.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { migrate } from "../../migrations/migrate.ts";
import { EmbeddedLedgerStore } from "../embedded-ledger-store.ts";
import { Journal } from "../journal/journal.ts";
import { EmbeddedAuthority } from "./embedded-authority.ts";
import { LeasedLedgerStore } from "./leased-ledger-store.ts";

const ACCOUNT: Purse = { scope: "account", id: "acme" };

let folder: string;
let ledger: EmbeddedLedgerStore;
let authority: EmbeddedAuthority;
let processes: LeasedLedgerStore[];
let caps: Record<string, Caps>;
let clockMs: number;
let references: number;
let shipments: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-authority-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  await database.destroy();
  [processes, caps, clockMs, references, shipments] = [[], {}, 0, 0, 0];
  openOwner(folder);
  authority.start([]);
});
afterEach(async () => {
  for (const process of processes) await process.close();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

function openOwner(from: string): void {
  ledger = new EmbeddedLedgerStore(openSqliteWriter(join(from, "tollgate.db"), "process"), {
    journal: new Journal(join(from, "ledger-journal"), "process"),
    nowMs: () => NOW,
    report: () => undefined,
    isShared: true,
  });
  authority = new EmbeddedAuthority(ledger, ({ scope, id }) => caps[`${scope}:${id}`] ?? NO_CAPS);
  ledger.share(authority);
}

/** Kills the owner: the next owner has only the files that are on the disk at this moment. */
async function restartOwner(survivors: readonly string[]): Promise<void> {
  const copy = mkdtempSync(join(folder, "copy-"));
  for (const name of ["tollgate.db", "tollgate.db-wal", "ledger-journal"]) cpSync(join(folder, name), join(copy, name));
  await ledger.close();
  openOwner(copy);
  authority.start(survivors);
  for (const process of processes) process.disconnected();
}

async function open(instanceId: string): Promise<LeasedLedgerStore> {
  const own = mkdtempSync(join(folder, `${instanceId}-`));
  const process = new LeasedLedgerStore({
    instanceId,
    // The current owner.
    authority: {
      join: (...given) => authority.join(...given),
      ship: (...given) => authority.ship(...given).finally(() => shipments++),
      ensureCounted: (...given) => authority.ensureCounted(...given),
      recall: (...given) => authority.recall(...given),
      findReply: (...given) => authority.findReply(...given),
    },
    folder: own,
    durability: "process",
    monotonicMs: () => clockMs,
    report: () => undefined,
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: () => undefined,
  });
  await process.start();
  authority.connect(instanceId, process);
  processes.push(process);
  return process;
}

const credit = (amount: bigint): Promise<unknown> => ledger.addCredit(grant(amount, { reference: `${++references}` }));

/**
 * Admission, as in the gateway: widens the slice if it is too small, then holds if the slice covers the amount. If the machine stalls,
 * another process may not answer in time, and clients send the request again.
 */
async function admit(process: LeasedLedgerStore, requestId: string, amount: bigint): Promise<boolean> {
  for (let waits = 0; waits < 3 && process.availableOf(ACCOUNT) < amount; waits++) {
    await process.widen([ACCOUNT], amount).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === "overloaded")) throw error;
    });
  }
  if (process.availableOf(ACCOUNT) < amount) return false;
  await process.hold(sampleHold(requestId, amount));
  return true;
}

/** The error of a refused caller, as the gateway derives it. */
function refusalOf(process: LeasedLedgerStore, amount: bigint): "credits_in_flight" | "insufficient_credits" {
  return process.balanceOf("acme").creditNanos >= amount ? "credits_in_flight" : "insufficient_credits";
}

/** The entries in the database. */
async function kinds(): Promise<string[]> {
  return (await ledger.entriesAfter(0, 10_000)).map(({ kind }) => kind);
}

for (const count of [2, 4]) {
  test(`${count} processes with 200 concurrent requests on credit for 10 admit 10 in the end, and call nobody insolvent before`, async () => {
    await credit(1000n);
    const all = await Promise.all(Array.from({ length: count }, (_, index) => open(`p${index}`)));
    const of = (index: number): LeasedLedgerStore => all[index % count]!;
    let waiting = Array.from({ length: 200 }, (_, index) => index);
    let served = 0;
    while (waiting.length > 0 && served < 10) {
      const results = await Promise.all(waiting.map(async (index) => ({ index, isAdmitted: await admit(of(index), `r${index}`, 100n) })));
      const admitted = results.filter(({ isAdmitted }) => isAdmitted).map(({ index }) => index);
      expect(served + admitted.length).toBeLessThanOrEqual(10);
      waiting = results.filter(({ isAdmitted }) => !isAdmitted).map(({ index }) => index);
      for (const index of waiting) expect(refusalOf(of(index), 100n)).toBe("credits_in_flight");
      await Promise.all(admitted.map((index) => of(index).settle(`r${index}`, settlement(100n))));
      served += admitted.length;
      clockMs += 100;
    }
    expect(served).toBe(10);
    await until(() => ledger.balanceOf("acme").creditNanos === 0n);
    await until(async () => !(await admit(of(0), "one more", 100n)) && refusalOf(of(0), 100n) === "insufficient_credits");
  });
}

test("the entries, the idempotent reply and the number of a shipment are in the database when the process has its reply", async () => {
  await credit(1000n);
  const process = await open("p1");
  await admit(process, "r1", 100n);
  await process.settle("r1", settlement(70n), answer("a1:k"));
  const other = openSqliteWriter(join(folder, "tollgate.db"), "process");
  const rows = other.query<{ kind: string }, []>("select kind from entries order by id").all();
  const { seq } = other.query<{ seq: number }, []>("select applied_seq as seq from instances where id = 'p1'").get()!;
  expect([rows.map(({ kind }) => kind), other.query("select request_id from answers").all()]).toEqual([
    ["grant", "hold", "settle"],
    [{ request_id: "r1" }],
  ]);
  expect(seq).toBe(authority.find("p1")!.appliedSeq);
  other.close();
});

test("while the database cannot be written no shipment is answered, and nothing is booked twice afterwards", async () => {
  await credit(1000n);
  const process = await open("p1");
  await admit(process, "r1", 100n);
  const other = openSqliteWriter(join(folder, "tollgate.db"), "process");
  other.run("begin immediate");
  await process.settle("r1", settlement(70n));
  await until(() => ledger.state().failure !== undefined);
  // As after a call that has timed out.
  process.disconnected();
  const joining = process.recalled(ACCOUNT);
  other.run("rollback");
  other.close();
  await joining;
  await until(() => ledger.state().failure === undefined);
  expect([await kinds(), ledger.balanceOf("acme").creditNanos]).toEqual([["grant", "hold", "settle"], 930n]);
});

describe("after a restart of the owner", () => {
  test("holds of processes that live stay open, and holds of no process are closed when all have stated theirs", async () => {
    await credit(1000n);
    const [one] = [await open("p1"), await open("p2")];
    await admit(one, "r1", 100n);
    await ledger.hold(sampleHold("own", 50n));
    await until(() => ledger.state().openHolds === 2 && one.state().unwrittenEntries === 0);
    await restartOwner(["p1", "p2"]);
    expect([authority.isLeasing, authority.unstated, ledger.state().openHolds]).toEqual([false, ["p1", "p2"], 2]);
    one.connected();
    await until(() => !authority.unstated.includes("p1"));
    expect(ledger.state().openHolds).toBe(2);
    processes[1]!.connected();
    await until(() => authority.isLeasing);
    expect([ledger.state().openHolds, (await kinds()).at(-1)]).toEqual([1, "release"]);
    await one.settle("r1", settlement(60n));
    await until(() => ledger.balanceOf("acme").creditNanos === 940n);
    expect(authority.instances().map(({ id, openHolds }) => [id, openHolds])).toEqual([
      ["p1", 0],
      ["p2", 0],
    ]);
  });

  test("without processes, holds are closed at once", async () => {
    await credit(1000n);
    await ledger.hold(sampleHold("own", 50n));
    await restartOwner([]);
    expect([authority.isLeasing, ledger.state().openHolds]).toEqual([true, 0]);
  });

  test("leases are known again, and the account is not leased twice", async () => {
    await credit(1000n);
    const [one, two] = [await open("p1"), await open("p2")];
    expect(await admit(one, "r1", 900n)).toBe(true);
    await restartOwner(["p1", "p2"]);
    const [early] = await Promise.allSettled([two.widen([ACCOUNT], 900n)]);
    expect(early).toMatchObject({ reason: { code: "overloaded" } });
    one.connected();
    await until(() => authority.isLeasing);
    expect([await admit(two, "r2", 900n), await admit(two, "r3", 100n)]).toEqual([false, true]);
  });
});

test("the hold of a process that dies is charged for its last reported progress", async () => {
  await credit(1000n);
  const process = await open("p1");
  await admit(process, "r1", 100n);
  process.watch("r1", () => ({ costNanos: 40n, usage: USAGE, provenance: "measured", upstream: "u", upstreamModel: "m" }));
  clockMs += 1000;
  await process.recalled(ACCOUNT);
  await until(async () => {
    process.connected();
    return ledger.database.progress.reported.has("r1");
  });
  await authority.end("p1");
  expect([ledger.balanceOf("acme"), authority.instances()]).toEqual([
    { ...ledger.balanceOf("acme"), creditNanos: 960n, heldNanos: 0n },
    [],
  ]);
});

describe("the owner's own requests", () => {
  test("hold what is free beside the leases, and recall what processes do not use", async () => {
    await credit(1000n);
    const process = await open("p1");
    await admit(process, "r1", 300n);
    await process.widen([ACCOUNT], 600n);
    expect(ledger.leases!.availableOf(ACCOUNT)).toBeLessThan(200n);
    await ledger.leases!.widen([ACCOUNT], 700n);
    expect(ledger.leases!.availableOf(ACCOUNT)).toBe(700n);
    await ledger.hold(sampleHold("own", 700n));
    expect([await admit(process, "r2", 10n), refusalOf(process, 10n)]).toEqual([false, "credits_in_flight"]);
    ledger.release("own", "failed", NOW);
    await until(() => admit(process, "r3", 10n));
  });

  test("a negative adjustment takes what processes do not use", async () => {
    await credit(1000n);
    const process = await open("p1");
    await admit(process, "r1", 100n);
    await process.widen([ACCOUNT], 900n);
    await ledger.addCredit(grant(-800n, { kind: "adjustment", reference: "correction" }));
    expect([process.availableOf(ACCOUNT), authority.availableOf(ACCOUNT)]).toEqual([0n, 100n]);
  });

  test("a lowered cap is recalled, and a raised one is announced", async () => {
    await credit(1000n);
    const process = await open("p1");
    await process.widen([ACCOUNT], 900n);
    caps["account:acme"] = { ...NO_CAPS, totalNanos: 0n };
    await authority.capsChanged([ACCOUNT]);
    expect(process.availableOf(ACCOUNT)).toBe(0n);
    expect(await admit(process, "r1", 10n)).toBe(false);
    caps["account:acme"] = NO_CAPS;
    await authority.capsChanged([ACCOUNT]);
    expect(await admit(process, "r2", 10n)).toBe(true);
  });
});

test("a process whose slice was recalled returns what its requests leave, so that others need not recall it again", async () => {
  await credit(1000n);
  const [one, two] = [await open("p1"), await open("p2")];
  await admit(one, "r1", 600n);
  await admit(one, "r2", 400n);
  expect(await admit(two, "r3", 600n)).toBe(false);
  one.release("r1", "failed", NOW);
  await until(() => authority.availableOf(ACCOUNT) === 600n);
  await one.settle("r2", settlement(100n));
  await until(() => authority.availableOf(ACCOUNT) === 900n);
});

test("a process that was refused asks again as soon as credit is granted, and not before", async () => {
  const process = await open("p1");
  expect([await admit(process, "r1", 10n), refusalOf(process, 10n)]).toEqual([false, "insufficient_credits"]);
  const { appliedSeq } = authority.find("p1")!;
  expect([await admit(process, "r2", 10n), authority.find("p1")!.appliedSeq]).toEqual([false, appliedSeq]);
  await credit(1000n);
  expect(await admit(process, "r3", 10n)).toBe(true);
});

test("a slice that is not used for a minute goes back", async () => {
  await credit(1000n);
  const process = await open("p1");
  await process.widen([ACCOUNT], 500n);
  for (let interval = 0; interval < 3; interval++) {
    expect(authority.instances()[0]!.leases).toHaveLength(1);
    clockMs += 30_000;
    const before = shipments;
    process.connected();
    await until(() => shipments > before);
  }
  await until(() => authority.instances()[0]!.leases.length === 0);
});
