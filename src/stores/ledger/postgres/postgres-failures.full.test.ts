import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, until } from "../../../../test/support/eventually.ts";
import { isLong } from "../../../../test/support/long.ts";
import { answer, hold as sampleHold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT, admit, LedgerProcesses } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { outsideWork } from "../../../../test/support/postgres/second-connection.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { SERVER_RUN } from "../../postgres/server-run.ts";
import { makeSettlement } from "../books/closing-entries.ts";
import { AuthorityUnavailable } from "../leases/authority.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import type { Progress } from "../ledger-store.ts";
import { createProcessFolder, processFolderIn } from "../processes/process-folder.ts";
import { ProcessRecovery } from "../processes/process-recovery.ts";
import { InstanceIsLive } from "../instance-store.ts";
import { PostgresAuthority } from "./postgres-authority.ts";

const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map();
const PROGRESS: Progress = {
  costNanos: 40n,
  usage: USAGE,
  provenance: "measured",
  upstream: "u",
  upstreamModel: "m",
  upstreamCostNanos: 2n ** 60n,
};
/** Requests of each of two processes while connections are killed, and the entries that they and a grant make. */
const REQUESTS = isLong ? 100 : 30;
const ENTRIES = BigInt(4 * REQUESTS + 1);
const TABLES = ["ledger_head", "entries", "purses", "leases", "recalls", "instances", "open_holds", "answers"];

/** A lease of 100, a hold of 50 with its settlement of 30, a hold with a settlement and an idempotent reply, and a hold that stays open. */
function changesOfAProcess(): readonly ProcessChange[] {
  const holds = [2, 3, 4].map((id) => ({ ...sampleHold(`r${id}`, 30n), kind: "hold" as const, id }));
  const settled = (id: number, hold: (typeof holds)[number]): ReturnType<typeof makeSettlement> =>
    makeSettlement(id, hold, settlement(20n), 20n);
  const entry = settled(6, holds[1]!);
  return [
    { kind: "lease", id: 1, purse: ACCOUNT, bound: "at_least", nanos: 100n },
    ...holds,
    settled(5, holds[0]!),
    { kind: "direct", id: 6, requestId: "r3", settled: { entry, reply: answer("scope")(entry) } },
  ];
}

describe.skipIf(!hasPostgres)("the authority in PostgreSQL", () => {
  const postgres = postgresFixture();
  let processes: LedgerProcesses;
  beforeEach(async () => {
    processes = await LedgerProcesses.create(postgres);
  });
  afterEach(() => processes.close());

  const lose = (instanceId: string): Promise<unknown> =>
    processes.pool.query("update instances set seen_at = seen_at - interval '31 seconds' where id = $1", [instanceId]);

  /** After the process `gone` was written off, ships the settlement of `r1` with its reply, and its confirmation. */
  async function shipLate(): Promise<void> {
    const { authority } = processes;
    await lose("gone");
    await authority.end("gone", "written_off");
    const { epoch } = await authority.join("gone");
    const entry = makeSettlement(3, { ...sampleHold("r1", 900n), kind: "hold", id: 2 }, settlement(500n), 500n);
    const reply = answer("scope")(entry);
    const changes: ProcessChange[] = [
      { kind: "direct", id: 3, requestId: "r1", settled: { entry, reply } },
      { kind: "confirmed", id: 4, entry: { ...entry, id: 4 }, reply },
    ];
    const shipped = await authority.ship({ instanceId: "gone", epoch, changes, progress: NO_PROGRESS });
    expect(shipped).toMatchObject({ state: "written_off", appliedSeq: 4 });
  }

  async function save(): Promise<void> {
    for (const table of TABLES) await processes.pool.query(`create table saved_${table} as table ${table}`);
  }

  /** Restores the database to the saved state. */
  async function restore(): Promise<void> {
    await processes.pool.transaction(async (connection) => {
      // Locked, so that no process can call meanwhile.
      await connection.query("select from instances for update");
      for (const table of TABLES.toReversed()) await connection.query(`delete from ${table}`);
      for (const table of TABLES) await connection.query(`insert into ${table} select * from saved_${table}`);
    });
  }

  /** All data that a shipment changes. */
  const state = async (): Promise<unknown> => [
    await processes.rows("select applied_seq from instances"),
    await processes.rows("select last_id from ledger_head"),
    await processes.rows("select id, kind, request_id, hold_id from entries order by id"),
    await processes.rows("select scope, id, credit_nanos, leased_nanos, total_nanos from purses order by scope, id"),
    await processes.rows("select nanos from leases"),
    await processes.rows("select request_id, hold_id, progress from open_holds order by request_id"),
    await processes.rows("select scope from answers"),
  ];

  for (const isSent of [false, true]) {
    test(`applies a shipment as a whole or not at all, wherever its connection is killed ${isSent ? "after" : "before"} a statement`, async () => {
      const outcomes: unknown[] = [];
      for (let statement = 1, isKilled = true; isKilled; statement++) {
        await processes.close();
        processes = await LedgerProcesses.create(postgres);
        await processes.credit(1000n);
        const { pool, authority } = processes;
        // Rows of purses are added in a separate transaction, which is harmless.
        await pool.query("insert into purses (scope, id) values ('key', 'key-1')");
        const { epoch } = await authority.join("p1");
        const shipment = { instanceId: "p1", epoch, changes: changesOfAProcess(), progress: new Map([["r4", PROGRESS]]) };
        const before = await state();
        const [shipped] = await Promise.allSettled([
          new PostgresAuthority({ pool: killingAt(pool, statement, isSent), capsOf: () => NO_CAPS }).ship(shipment),
        ]);
        const after = await state();
        // The shipment is sent again, but applied once.
        const joined = await authority.join("p1");
        await authority.ship({ ...shipment, epoch: joined.epoch });
        const final = await state();
        outcomes.push(final);
        isKilled = shipped.status === "rejected";
        if (isKilled) expect(shipped).toMatchObject({ reason: expect.any(AuthorityUnavailable) });
        expect(isKilled ? [before, final] : [final]).toContainEqual(after);
      }
      expect(outcomes.length).toBeGreaterThan(8);
      expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
      expect(outcomes[0]).toMatchObject([
        [{ applied_seq: 6n }],
        [{ last_id: 6n }],
        [{ kind: "grant" }, {}, {}, {}, { hold_id: 2n }, { hold_id: 3n }],
        [{ credit_nanos: 960n, leased_nanos: 210n }, { total_nanos: 40n }],
        [{ nanos: 210n }],
        [{ request_id: "r4", hold_id: 4n, progress: expect.any(String) }],
        [{ scope: "scope" }],
      ]);
    });
  }

  test("loses and repeats nothing while connections are killed", async () => {
    await processes.credit(1_000_000n);
    const all = await Promise.all(["p1", "p2"].map((id) => processes.open(id, { isListening: false })));
    for (const { store } of all) await store.widen([ACCOUNT], 100_000n);
    const work = { isDone: false };
    // Retries, because the connections of the test are killed too.
    const countEntries = (): Promise<number> =>
      eventually(
        () =>
          processes.rows("select 1 from entries").then(
            ({ length }) => length,
            () => 0,
          ),
        (count) => count > 0,
      );
    const killing = (async () => {
      while (!work.isDone) {
        const before = await countEntries();
        const others = "pid <> pg_backend_pid() and datname = current_database()";
        await processes.rows(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`).catch(() => undefined);
        // Waits each time until some changes have been applied.
        await until(async () => work.isDone || (await countEntries()) > before);
      }
    })();
    const serving = all.map(async ({ store }, process) => {
      for (let index = 0; index < REQUESTS; index++) {
        const id = `p${process}-${index}`;
        await store.hold(sampleHold(id, 9n));
        await store.settle(id, settlement(7n), index % 5 === 0 ? answer(id) : undefined);
      }
    });
    await Promise.all(serving).finally(() => (work.isDone = true));
    await killing;
    await until(() => all.every(({ store }) => store.state().unwrittenEntries === 0));
    const found = await eventually(
      () =>
        Promise.all([
          processes.creditNanos(),
          processes.rows("select count(*) as count, max(id) as last from entries"),
          processes.rows("select leased_nanos - (select sum(nanos) from leases) as difference from purses where scope = 'account'"),
        ]).catch(() => undefined),
      (seen) => seen !== undefined,
    );
    expect(found).toEqual([1_000_000n - BigInt(2 * REQUESTS) * 7n, [{ count: ENTRIES, last: ENTRIES }], [{ difference: "0" }]]);
  });

  test("heals when its database is restored to before the last shipments, without a break of the connections", async () => {
    await processes.credit(1000n);
    const { store } = await processes.open("p1", { keepAppliedMs: 60_000 });
    await admit({ store }, "r1", 100n);
    await until(async () => (await processes.rows("select 1 from open_holds")).length === 1);
    await save();
    await store.settle("r1", settlement(70n), answer("a1:k"));
    await admit({ store }, "r2", 300n);
    await until(() => store.state().unwrittenEntries === 0);
    await restore();
    await store.settle("r2", settlement(200n), answer("a1:l"));
    expect(await processes.rows("select kind, request_id from entries order by id")).toEqual([
      { kind: "grant", request_id: null },
      { kind: "hold", request_id: "r1" },
      { kind: "settle", request_id: "r1" },
      { kind: "hold", request_id: "r2" },
      { kind: "settle", request_id: "r2" },
    ]);
    await until(async () => (await processes.leasedNanos()) === store.availableOf(ACCOUNT));
    expect(await processes.creditNanos()).toBe(730n);
    expect(await processes.authority.findReply("a1:k", NOW)).toMatchObject({ requestId: "r1", body: "{}" });
  });

  test("a recall after a restore is not answered by what was returned before it", async () => {
    await processes.credit(1000n);
    const { store } = await processes.open("p1", { keepAppliedMs: 60_000 });
    await admit({ store }, "r1", 900n);
    await until(() => store.state().unwrittenEntries === 0);
    await save();
    store.release("r1", "not needed", NOW);
    await store.recalled(ACCOUNT);
    expect(await processes.leasedNanos()).toBe(0n);
    await restore();
    await processes.authority.recallAll([ACCOUNT]);
    await until(async () => (await processes.rows("select 1 from recalls")).length === 0);
    expect(await processes.leasedNanos()).toBe(0n);
  });

  test("books an idempotent request that a restored database has lost from the journal, and that its reply is lost", async () => {
    await processes.credit(1000n);
    const { store, folder, pool } = await processes.open("p1", { keepAppliedMs: 60_000 });
    await admit({ store }, "r1", 100n);
    await until(() => store.state().unwrittenEntries === 0);
    await save();
    await store.settle("r1", settlement(70n), answer("a1:k"));
    await pool.close();
    await restore();
    const dataFolder = copyToDataFolder("p1", folder);
    expect((await new ProcessRecovery(dataFolder, processes.authority).run()).ended).toEqual(["p1"]);
    expect(await processes.creditNanos()).toBe(930n);
    expect(await processes.authority.findReply("a1:k", NOW)).toMatchObject({ requestId: "r1", digest: "d", body: undefined });
    rmSync(dataFolder, { recursive: true });
  });

  test("does not say that there is no reply before a restored process has shipped it again", async () => {
    const { authority, store } = await processes.open("p1");
    expect(await authority.findReply("a1:k", NOW)).toBeUndefined();
    await processes.pool.query("update instances set stated_run = 'another'");
    const [result] = await Promise.allSettled([store.findReply("a1:k", NOW)]);
    expect(result).toMatchObject({ status: "rejected", reason: { status: 503, retryAfterSeconds: 1 } });
    const runs: string[] = [];
    authority.whenUnstated((run) => runs.push(run));
    await store.shipAll();
    // A heartbeat may report the same run again.
    expect(new Set(runs).size).toBe(1);
  });

  for (const lost of ["nothing", "a call", "the joining of another process", "its own joining"] as const) {
    const isJoining = lost.includes("joining");
    test(`a process notices after a start of the database whether it has lost ${lost}`, async () => {
      if (lost === "its own joining") await save();
      const { authority, store } = await processes.open("p1", { keepAppliedMs: 60_000 });
      if (lost !== "its own joining") await save();
      // The store is closed, so it sends no heartbeat: it would join again and detect the loss itself.
      if (isJoining) await (await processes.open("p2", { keepAppliedMs: 60_000 })).store.close();
      await store.shipAll();
      const noticed: boolean[] = [];
      authority.whenUnstated((_, hasLostJoin) => noticed.push(hasLostJoin));
      await processes.pool.query(`update ${lost === "nothing" ? "instances" : "saved_instances"} set stated_run = 'another'`);
      if (lost !== "nothing") await restore();
      await until(async () => {
        await store.shipAll().catch(() => undefined);
        return noticed.length > 0;
      });
      expect(noticed[0]).toBe(isJoining);
      await processes.pool.query(`update instances set stated_run = ${SERVER_RUN}`);
      await store.shipAll();
      noticed.length = 0;
      await processes.pool.query("update instances set stated_run = 'another'");
      await store.shipAll();
      expect(noticed).toEqual([false]);
    });
  }

  describe("a process that is lost", () => {
    beforeEach(async () => {
      await processes.credit(1000n);
      const { epoch } = await processes.authority.join("gone");
      const hold = { ...sampleHold("r1", 900n), kind: "hold" as const, id: 2 };
      const changes: ProcessChange[] = [{ kind: "lease", id: 1, purse: ACCOUNT, bound: "at_least", nanos: 950n }, hold];
      await processes.authority.ship({ instanceId: "gone", epoch, changes, progress: new Map([["r1", PROGRESS]]) });
    });

    test("strands its lease: others are rejected with overloaded, not for lack of credit", async () => {
      const process = await processes.open("p1");
      const silent = await Promise.allSettled([admit(process, "r2", 500n)]);
      expect(silent).toMatchObject([{ reason: { code: "overloaded" } }]);
      await lose("gone");
      processes.clockMs += 1001;
      const lost = await Promise.allSettled([admit(process, "r2", 500n)]);
      expect(lost).toMatchObject([{ reason: { code: "overloaded" } }]);
      expect(await processes.leasedNanos()).toBeGreaterThanOrEqual(950n);
      expect(await processes.authority.find("gone")).toMatchObject({
        state: "lost",
        leases: [{ purse: ACCOUNT, nanos: 950n }],
        openHolds: 1,
        heldNanos: 900n,
      });
    });

    test("is written off by its last progress, and its journal is charged when it comes back, also to the key", async () => {
      const { authority } = processes;
      const [refused] = await Promise.allSettled([authority.end("gone", "written_off")]);
      expect(refused).toMatchObject({ reason: expect.any(InstanceIsLive) });
      await lose("gone");
      expect([await authority.end("gone", "written_off"), await authority.end("gone", "written_off")]).toEqual([true, true]);
      expect([await processes.creditNanos(), await processes.leasedNanos()]).toEqual([960n, 0n]);
      expect(await processes.rows("select upstream_cost_nanos as cost from entries where kind = 'settle'")).toEqual([{ cost: 2n ** 60n }]);
      expect(await admit(await processes.open("p1"), "r2", 900n)).toBe(true);
      const { epoch, state: joinedAs, appliedSeq } = await authority.join("gone");
      expect([joinedAs, appliedSeq]).toEqual(["written_off", 2]);
      const hold = { ...sampleHold("r1", 900n), kind: "hold" as const, id: 2 };
      const late = { ...sampleHold("late", 30n), kind: "hold" as const, id: 4 };
      const changes = [makeSettlement(3, hold, settlement(500n), 500n), late, makeSettlement(5, late, settlement(25n), 25n)];
      const shipped = await authority.ship({ instanceId: "gone", epoch, changes, progress: NO_PROGRESS });
      expect(shipped).toMatchObject({ state: "written_off", appliedSeq: 5 });
      await authority.ship({ instanceId: "gone", epoch, changes, progress: NO_PROGRESS });
      expect(await processes.rows(LATE)).toEqual([
        { request_id: "late:r1", amount_nanos: 460n, key_id: hold.keyId, is_counted: false },
        { request_id: "late:late", amount_nanos: 25n, key_id: hold.keyId, is_counted: true },
      ]);
      expect(await processes.rows("select total_nanos from purses where scope = 'key'")).toEqual([{ total_nanos: 525n }]);
      await authority.end("gone", "closed");
      expect([(await authority.find("gone"))?.state, await processes.creditNanos()]).toEqual(["closed", 475n]);
    });

    /** Whether the tokens are counted: the write-off has already counted other tokens. */
    const LATE = `select request_id, amount_nanos, key_id, prompt_tokens > 0 as is_counted from entries
      where kind = 'settle' and starts_with(request_id, 'late:') order by id`;

    test("is charged once for a settlement that comes back together with its confirmation", async () => {
      await shipLate();
      expect(await processes.rows(LATE)).toMatchObject([{ request_id: "late:r1", amount_nanos: 460n }]);
      expect(await processes.rows("select request_id, body is null as is_lost from answers")).toEqual([
        { request_id: "r1", is_lost: false },
      ]);
    });

    test("is not charged for a request that another process serves, or has served, under the same idempotency key", async () => {
      await processes.pool.query("insert into claims select 'scope', 'd', 'r2', 'p1', authority_now() + interval '1 day'");
      await shipLate();
      expect([await processes.rows(LATE), await processes.rows("select request_id from answers")]).toEqual([[], []]);
      await processes.pool.query("delete from claims");
      await processes.pool.query(
        "insert into answers (scope, digest, request_id, at_ms, headers, body) values ('scope', 'd', 'r2', 0, '{}', '')",
      );
      await processes.pool.query("update instances set applied_seq = 2 where id = 'gone'");
      await shipLate();
      expect(await processes.rows(LATE)).toEqual([]);
      expect(await processes.rows("select request_id from answers")).toEqual([{ request_id: "r2" }]);
    });
  });

  test("a process that dies leaves a journal that is applied once, its holds are closed, and its folder is removed", async () => {
    await processes.credit(1000n);
    const { store, folder, pool } = await processes.open("p1");
    await admit({ store }, "r1", 100n);
    await until(() => store.state().unwrittenEntries === 0);
    await pool.close();
    await store.hold(sampleHold("r2", 50n)).catch(() => undefined);
    await store.settle("r1", settlement(70n));
    const dataFolder = copyToDataFolder("p1", folder);
    expect((await new ProcessRecovery(dataFolder, processes.authority).run()).ended).toEqual(["p1"]);
    expect([await processes.creditNanos(), await processes.leasedNanos()]).toEqual([930n, 0n]);
    expect(await processes.rows("select kind, request_id from entries where kind <> 'hold' order by id")).toEqual([
      { kind: "grant", request_id: null },
      { kind: "settle", request_id: "r1" },
      { kind: "release", request_id: "r2" },
    ]);
    expect([await processes.authority.instances(), existsSync(processFolderIn(dataFolder, "p1"))]).toEqual([[], false]);
    rmSync(dataFolder, { recursive: true });
  });
});

/** Copies the folder that a killed process leaves behind, into a new data folder. */
function copyToDataFolder(instanceId: string, folder: string): string {
  const dataFolder = mkdtempSync(join(tmpdir(), "tollgate-postgres-recovery-"));
  createProcessFolder(dataFolder, instanceId, 1).release();
  cpSync(folder, processFolderIn(dataFolder, instanceId), { recursive: true });
  return dataFolder;
}

/** A pool whose connection is killed before a statement is sent, or right after. Later statements find it closed. */
function killingAt(pool: PostgresPool, statement: number, isSent: boolean): PostgresPool {
  let count = 0;
  const wrap = async (connection: PostgresConnection): Promise<PostgresConnection> => {
    const [backend] = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
    let killing: Promise<unknown> | undefined;
    const query = async (text: string, parameters?: readonly unknown[]): Promise<unknown> => {
      // Sent in this turn of the event loop, like all statements, so that their order stays the same.
      if (++count !== statement)
        return killing ? killing.then(() => connection.query(text, parameters)) : connection.query(text, parameters);
      const sent = isSent ? connection.query(text, parameters) : undefined;
      killing = outsideWork(() => kill(pool, backend!.pid));
      await Promise.allSettled([sent, killing]);
      return sent ?? connection.query(text, parameters);
    };
    return { query } as PostgresConnection;
  };
  const use: PostgresPool["use"] = (work) => pool.use(async (connection) => work(await wrap(connection)));
  return { use, query: pool.query.bind(pool) } as unknown as PostgresPool;
}

async function kill(pool: PostgresPool, pid: number): Promise<void> {
  await pool.query("select pg_terminate_backend($1::integer)", [pid]);
  await until(async () => (await pool.query("select 1 from pg_stat_activity where pid = $1::integer", [pid])).length === 0);
}
