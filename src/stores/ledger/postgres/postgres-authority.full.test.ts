import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../../../test/support/eventually.ts";
import { answer, DAY_MS, grant, hold as sampleHold, LARGE, NOW, settlement } from "../../../../test/support/money/ledger-samples.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT, admit, LedgerProcesses, type LedgerProcess } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { outsideWork } from "../../../../test/support/postgres/second-connection.ts";
import type { HoldEntry } from "../../../money/ledger-entry.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import { MAX_NANOS } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";
import { dayAt, monthAt } from "../../../money/period-sums.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { FencedError, SequenceGapError } from "../leases/instance.ts";
import type { LeaseChange, ProcessChange } from "../leases/process-change.ts";
import { makeSettlement } from "../books/closing-entries.ts";
import { bookCredit } from "./book-credit.ts";
import { callInstance } from "./instance-rows.ts";
import { lockPurses } from "./locked-purses.ts";
import { inTwoTrips } from "./transaction.ts";

const KEY: Purse = { scope: "key", id: "key-1" };
const NO_PROGRESS = new Map<string, never>();

const leaseAt = (id: number, nanos: bigint, changes: Partial<LeaseChange> = {}): LeaseChange => {
  return { kind: "lease", id, purse: ACCOUNT, bound: "at_least", nanos, ...changes };
};
const holdAt = (id: number): HoldEntry => ({ ...sampleHold(`r${id}`, 10n), kind: "hold", id });

describe.skipIf(!hasPostgres)("PostgresAuthority", () => {
  const postgres = postgresFixture();
  let processes: LedgerProcesses;
  beforeEach(async () => {
    processes = await LedgerProcesses.create(postgres);
  });
  afterEach(() => processes.close());

  for (const count of [2, 4]) {
    test(`${count} processes with 200 concurrent requests on credit for 10 admit 10 in the end, and call nobody insolvent before`, async () => {
      await processes.credit(1000n);
      const all = await Promise.all(Array.from({ length: count }, (_, index) => processes.open(`p${index}`)));
      const of = (index: number): LedgerProcess => all[index % count]!;
      let waiting = Array.from({ length: 200 }, (_, index) => index);
      let served = 0;
      while (waiting.length > 0 && served < 10) {
        const results = await Promise.all(
          waiting.map(async (index) => {
            const isAdmitted = await admit(of(index), `r${index}`, 100n).catch(isOverloaded);
            return { index, isAdmitted, refusal: isAdmitted === false && refusalOf(of(index), 100n) };
          }),
        );
        const admitted = results.filter(({ isAdmitted }) => isAdmitted === true).map(({ index }) => index);
        expect(served + admitted.length).toBeLessThanOrEqual(10);
        expect(await processes.rows("select * from purses where scope = 'account' and leased_nanos > credit_nanos")).toEqual([]);
        expect(results.filter(({ refusal }) => refusal === "insufficient_credits")).toEqual([]);
        waiting = results.filter(({ isAdmitted }) => isAdmitted !== true).map(({ index }) => index);
        await Promise.all(admitted.map((index) => of(index).store.settle(`r${index}`, settlement(100n))));
        served += admitted.length;
        processes.clockMs += 100;
      }
      expect(served).toBe(10);
      await until(async () => (await processes.creditNanos()) === 0n);
      await until(async () => {
        const isAdmitted = await admit(of(0), "one more", 100n).catch(isOverloaded);
        return isAdmitted === false && refusalOf(of(0), 100n) === "insufficient_credits";
      });
    });
  }

  test("the entries, the idempotent reply and the number of a shipment are in the database when the process has its reply", async () => {
    await processes.credit(1000n);
    const process = await processes.open("p1");
    await admit(process, "r1", 100n);
    await process.store.settle("r1", settlement(70n, { failedAttempts: [] }), answer("a1:k", { headers: { "x-a": 'ü"\\' } }));
    const { state: _, ...found } = (await processes.authority.find("p1"))!;
    expect(found).toMatchObject({ id: "p1", openHolds: 0, heldNanos: 0n });
    expect(await processes.rows("select id, kind, hold_id, amount_nanos, prompt_tokens, instance_id from entries order by id")).toEqual([
      { id: 1n, kind: "grant", hold_id: null, amount_nanos: 1000n, prompt_tokens: null, instance_id: null },
      { id: 2n, kind: "hold", hold_id: null, amount_nanos: 100n, prompt_tokens: null, instance_id: "p1" },
      { id: 3n, kind: "settle", hold_id: 2n, amount_nanos: 70n, prompt_tokens: 11n, instance_id: "p1" },
    ]);
    expect(await processes.authority.findReply("a1:k", NOW)).toEqual({
      scope: "a1:k",
      digest: "d",
      requestId: "r1",
      atMs: NOW,
      headers: { "x-a": 'ü"\\' },
      body: "{}",
    });
    expect(await processes.authority.findReply("a1:k", NOW + DAY_MS)).toBeUndefined();
  });

  test("names and texts with any characters arrive as they are, as far as PostgreSQL has them", async () => {
    const names = ['a"b,c', "{d}\\e", "NULL", "ü'$1", "\ud83d\ude00"];
    const { epoch } = await processes.authority.join("p1");
    const changes = names.flatMap((name, index): ProcessChange[] => {
      const hold = {
        ...sampleHold(`r ${name}`, 10n, { accountId: name, keyId: name, reason: name }),
        kind: "hold" as const,
        id: 3 * index + 1,
      };
      const entry = makeSettlement(3 * index + 2, hold, settlement(10n, { reason: `\0 ${name} \ud83d` }), 10n);
      const settled = { entry, reply: answer(name, { body: "\ude00" })(entry) };
      const purse: Purse = { scope: "account", id: name };
      return [hold, { kind: "direct", id: entry.id, requestId: entry.requestId, settled }, leaseAt(3 * index + 3, 1n, { purse })];
    });
    const { purses } = await processes.authority.ship({ instanceId: "p1", epoch, changes, progress: NO_PROGRESS });
    expect(purses.map(({ purse }) => purse.id)).toEqual(names);
    const ends = await processes.rows<{ account_id: string; reason: string }>(
      "select account_id, reason from entries where hold_id > 0 order by id",
    );
    expect(ends).toEqual(names.map((name) => ({ account_id: name, reason: `\ufffd ${name} \ufffd` })));
    for (const name of names) expect((await processes.authority.findReply(name, NOW))?.body).toBe("\ufffd");
    expect(await processes.rows("select 1 from open_holds")).toEqual([]);
  });

  test("a process that stops in the middle of a transaction does not block the others for long", async () => {
    await processes.credit(1000n);
    const [one, two] = [await processes.authority.join("p1"), await processes.authority.join("p2")];
    const { promise: forever, reject } = Promise.withResolvers<undefined>();
    const locked = Promise.withResolvers<void>();
    const stopped = inTwoTrips(processes.pool, async (connection) => {
      await callInstance(connection, "p1", one.epoch, 0);
      await lockPurses(connection, "p1", [ACCOUNT], false);
      locked.resolve();
      return forever;
    });
    await locked.promise;
    const shipment = { instanceId: "p2", epoch: two.epoch, changes: [leaseAt(1, 300n)], progress: NO_PROGRESS };
    expect((await processes.authority.ship(shipment)).purses).toMatchObject([{ leaseNanos: 300n }]);
    reject(new Error("continued"));
    expect(await Promise.allSettled([stopped])).toMatchObject([{ status: "rejected" }]);
  });

  test("four processes at once: a reader sees ids without gaps at any moment, and the sums match the entries", async () => {
    await processes.credit(LARGE);
    const all = await Promise.all(Array.from({ length: 4 }, (_, index) => processes.open(`p${index}`)));
    for (const { store } of all) await store.widen([ACCOUNT], 10_000n);
    const work = { isDone: false };
    const serving = Promise.all(
      all.map(async ({ store }, process) => {
        for (let round = 0; round < 20; round++) {
          const ids = Array.from({ length: 10 }, (_, index) => `p${process}-${round}-${index}`);
          await Promise.all(ids.map((id) => store.hold(sampleHold(id, 5n, { keyId: `key-${round % 3}` }))));
          await Promise.all(ids.map((id) => store.settle(id, settlement(3n))));
        }
      }),
    ).finally(() => (work.isDone = true));
    let looks = 0;
    for (; !work.isDone || looks === 0; looks++) {
      const text = `select count(*) as count, max(id) as last, (select last_id from ledger_head) as head,
        (select credit_nanos from purses where scope = 'account') as credit, (sum(case when kind = 'grant' then amount_nanos else 0 end)
        - sum(case when kind = 'settle' then amount_nanos else 0 end))::bigint as sum from entries`;
      const [seen] = await processes.rows<Record<"count" | "last" | "head" | "credit" | "sum", bigint>>(text);
      expect([seen!.last, seen!.head, seen!.credit]).toEqual([seen!.count, seen!.count, seen!.sum]);
    }
    await serving;
    await until(async () => (await processes.rows("select 1 from entries")).length === 1 + 4 * 20 * 10 * 2);
    expect(await processes.creditNanos()).toBe(LARGE - 2400n);
    expect(await processes.rows("select sum(total_nanos)::bigint as nanos from purses where scope = 'key'")).toEqual([{ nanos: 2400n }]);
    expect(await processes.rows("select 1 from open_holds")).toEqual([]);
  });

  test("a recalled slice is returned at a notice, and without notices with the next heartbeat", async () => {
    await processes.credit(1000n);
    const [one, two] = [await processes.open("p1"), await processes.open("p2", { isListening: false })];
    await one.store.widen([ACCOUNT], 400n);
    await two.store.widen([ACCOUNT], 400n);
    await processes.authority.recallAll([ACCOUNT]);
    await until(() => one.store.availableOf(ACCOUNT) === 0n && two.store.availableOf(ACCOUNT) === 0n);
    await until(async () => (await processes.leasedNanos()) === 0n && (await processes.rows("select 1 from recalls")).length === 0);
    expect(await admit(two, "r1", 1000n)).toBe(true);
  });

  test("a refused process asks again as soon as credit is granted, and not before", async () => {
    const process = await processes.open("p1");
    expect([await admit(process, "r1", 10n), refusalOf(process, 10n)]).toEqual([false, "insufficient_credits"]);
    const seq = "select applied_seq from instances";
    const [before] = await processes.rows(seq);
    expect(await admit(process, "r2", 10n)).toBe(false);
    expect(await processes.rows(seq)).toEqual([before]);
    await processes.credit(1000n);
    await until(() => admit(process, "r3", 10n));
  });

  test("a negative adjustment takes what processes do not use", async () => {
    await processes.credit(1000n);
    const process = await processes.open("p1");
    await admit(process, "r1", 100n);
    await process.store.widen([ACCOUNT], 900n);
    await until(async () => {
      await processes.authority.recallAll([ACCOUNT]);
      return process.store.availableOf(ACCOUNT) === 0n;
    });
    await processes.credit(-800n);
    await process.store.widen([ACCOUNT], 200n);
    expect([process.store.availableOf(ACCOUNT), await processes.leasedNanos()]).toEqual([100n, 200n]);
  });

  test("a lowered cap is recalled, and a raised one is announced", async () => {
    await processes.credit(1000n);
    const process = await processes.open("p1");
    await process.store.widen([ACCOUNT], 900n);
    processes.caps["account:acme"] = { ...NO_CAPS, totalNanos: 0n };
    await until(async () => {
      await processes.authority.capsChanged([ACCOUNT]);
      return process.store.availableOf(ACCOUNT) === 0n;
    });
    expect(await admit(process, "r1", 10n)).toBe(false);
    processes.caps["account:acme"] = NO_CAPS;
    await processes.authority.capsChanged([ACCOUNT]);
    await until(() => admit(process, "r2", 10n));
  });

  test("caps of keys bound what is leased of them, in the day and month of the database's clock", async () => {
    await processes.credit(1000n);
    processes.caps["key:key-1"] = { ...NO_CAPS, dayNanos: 60n, monthNanos: 90n };
    const setClock = (ms: number): Promise<unknown> =>
      processes.pool.query(`create or replace function authority_now() returns timestamptz language sql volatile as
        'select to_timestamp(${ms / 1000})'`);
    const spend = async (process: LedgerProcess, id: string, atMs: number): Promise<bigint> => {
      await process.store.widen([ACCOUNT, KEY], 100n);
      const available = process.store.availableOf(KEY);
      await process.store.hold(sampleHold(id, available, { atMs }));
      await process.store.settle(id, settlement(available, { atMs }), answer(id));
      processes.clockMs += 1001;
      return available;
    };
    await setClock(NOW);
    const process = await processes.open("p1");
    expect(await spend(process, "r1", NOW)).toBe(60n);
    await setClock(NOW + DAY_MS);
    expect(await spend(process, "r2", NOW + DAY_MS)).toBe(30n);
    await setClock(NOW + 40 * DAY_MS);
    expect(await spend(process, "r3", NOW + 40 * DAY_MS)).toBe(60n);
    await setClock(NOW + 41 * DAY_MS);
    expect(await spend(process, "r4", NOW + 41 * DAY_MS)).toBe(30n);
    // The clock is set back to before the two latest days and months with a charge.
    await setClock(NOW + 80 * DAY_MS);
    expect(await spend(process, "r5", NOW + 80 * DAY_MS)).toBe(60n);
    await setClock(NOW);
    expect([await spend(process, "r6", NOW), process.store.spendingOf("key", "key-1", NOW)]).toEqual([
      0n,
      { heldNanos: 0n, dayNanos: 60n, monthNanos: 90n, totalNanos: 240n },
    ]);
    expect(await processes.rows("select day, month from purses where scope = 'key'")).toEqual([
      { day: dayAt(NOW + 80 * DAY_MS), month: monthAt(NOW + 80 * DAY_MS) },
    ]);
  });

  describe("a shipment", () => {
    test("with lease changes alone does not wait for the head of the ledger", async () => {
      await processes.credit(1000n);
      const { authority, pool } = processes;
      const { epoch } = await authority.join("p1");
      await pool.transaction(async (connection) => {
        await connection.query("select from ledger_head for update");
        const shipment = { instanceId: "p1", epoch, changes: [leaseAt(1, 300n)], progress: NO_PROGRESS };
        const shipped = await outsideWork(() => authority.ship(shipment));
        expect(shipped.purses.map(({ leaseNanos, creditNanos }) => [leaseNanos, creditNanos])).toEqual([[300n, 1000n]]);
      });
    });

    test("with a statement of leases sets them, and returns those that it leaves out", async () => {
      await processes.credit(1000n);
      const { epoch } = await processes.authority.join("p1");
      const ship = (...changes: ProcessChange[]): Promise<unknown> =>
        processes.authority.ship({ instanceId: "p1", epoch, changes, progress: NO_PROGRESS });
      await ship(leaseAt(1, 300n), leaseAt(2, 50n, { purse: KEY }));
      await ship({ kind: "statement", id: 3, leases: [{ purse: ACCOUNT, nanos: 70n }], openRequests: [] });
      expect(await processes.rows("select scope, id, nanos from leases")).toEqual([{ ...ACCOUNT, nanos: 70n }]);
      expect(await processes.rows("select scope, leased_nanos from purses order by scope")).toEqual([
        { scope: "account", leased_nanos: 70n },
        { scope: "key", leased_nanos: 0n },
      ]);
    });

    test("that has a gap, or ends a hold that is not open, changes nothing", async () => {
      const { authority } = processes;
      const { epoch } = await authority.join("p1");
      const { amountNanos: _, ...request } = holdAt(9);
      const release: ProcessChange = { ...request, kind: "release", id: 2, holdId: 9 };
      const ship = (...changes: ProcessChange[]): Promise<unknown> =>
        authority.ship({ instanceId: "p1", epoch, changes, progress: NO_PROGRESS });
      const results = await Promise.allSettled([ship(holdAt(2)), ship(holdAt(1), release)]);
      expect(results).toMatchObject([
        { reason: expect.any(SequenceGapError) },
        { reason: { message: expect.stringContaining("no open hold") } },
      ]);
      expect(await processes.rows("select 1 from entries")).toEqual([]);
      expect(await processes.rows("select applied_seq from instances")).toEqual([{ applied_seq: 0n }]);
    });

    test("of an earlier connection, or of a process that has ended, is fenced off", async () => {
      const { authority } = processes;
      const earlier = await authority.join("p1");
      const { epoch } = await authority.join("p1");
      const ship = (of: number, changes: readonly ProcessChange[]): Promise<unknown> =>
        authority.ship({ instanceId: "p1", epoch: of, changes, progress: NO_PROGRESS });
      const fenced = await Promise.allSettled([ship(earlier.epoch, []), ship(earlier.epoch, [holdAt(1)])]);
      expect(fenced).toMatchObject([{ reason: expect.any(FencedError) }, { reason: expect.any(FencedError) }]);
      await ship(epoch, [holdAt(1)]);
      expect([await authority.end("p1", "closed"), await authority.end("p1", "closed"), await authority.end("other", "closed")]).toEqual([
        true,
        true,
        false,
      ]);
      const ended = await Promise.allSettled([ship(epoch, []), ship(epoch, [holdAt(2)]), authority.join("p1")]);
      expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      expect(ended.every((result) => result.status === "rejected" && result.reason instanceof FencedError)).toBe(true);
      expect(await processes.rows("select kind from entries order by id")).toEqual([{ kind: "hold" }, { kind: "release" }]);
    });
  });

  test("credit with the same reference is booked once, also at the same time, and none beyond the limit", async () => {
    const book = (amount: bigint, reference: string): Promise<unknown> =>
      processes.pool.transaction((connection) => bookCredit(connection, grant(amount, { reference })));
    const booked = (await Promise.all([book(5n, "a"), book(5n, "a"), book(7n, "b")])) as Awaited<ReturnType<typeof bookCredit>>[];
    expect(booked.filter(({ isNew }) => isNew)).toHaveLength(2);
    expect(booked[0]!.entry).toEqual(booked[1]!.entry);
    const [tooMuch] = await Promise.allSettled([book(MAX_NANOS, "c")]);
    expect(tooMuch).toMatchObject({ reason: { code: "invalid_value" } });
    expect([await processes.creditNanos(), (await processes.rows("select 1 from entries")).length]).toEqual([12n, 2]);
  });
});

/** The error of a refused caller, as the gateway derives it. */
function refusalOf({ store }: LedgerProcess, amount: bigint): string {
  return store.balanceOf("acme").creditNanos >= amount ? "credits_in_flight" : "insufficient_credits";
}

/** Undefined for a request that should be retried because another process answered too late. */
function isOverloaded(error: unknown): undefined {
  if (error instanceof ApiError && error.code === "overloaded") return undefined;
  throw error;
}
