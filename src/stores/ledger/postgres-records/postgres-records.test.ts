import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { DAY_MS, grant, hold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { addUpPlainly, type EndedRequest } from "../../../../test/support/money/plain-usage.ts";
import type { PostgresTestLedger } from "../../../../test/support/money/postgres-ledger.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { openRecords } from "../../../../test/support/postgres/open-records.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { Change } from "../../../access/change.ts";
import type { Purse } from "../../../money/purse.ts";
import { dayAt, monthAt } from "../../../money/period-sums.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import type { LedgerBalances } from "../ledger-record-store.ts";
import { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import type { PostgresLedgerRecordStore } from "./postgres-ledger-record-store.ts";
import { PostgresEntryNumbers } from "./entry-numbers.ts";
import { UsageRollups } from "./usage-rollups.ts";

const PACE = { unrolled: 40, entriesAtOnce: 30 };

function change(entryId: number): Change {
  const what = { atMs: NOW, actor: "operator", actorName: "Operator", address: null, requestId: null, action: "credit.grant" };
  return { ...what, target: { kind: "account", id: "acme" }, accountId: "acme", before: null, after: { entryId }, idempotency: null };
}

describe.skipIf(!hasPostgres)("the ledger's records in PostgreSQL", () => {
  const postgres = postgresFixture();
  let database: OpenPostgres & { readonly url: Secret };
  let store: PostgresTestLedger;
  let records: PostgresLedgerRecordStore;
  beforeEach(async () => {
    database = await postgres.open();
    ({ store, records } = await openRecords(database, PACE));
  });
  afterEach(() => records.close());

  const query = async <Row>(sql: string): Promise<readonly Row[]> => database.pool.query<Row>(sql);

  async function spend(requestId: string, nanos: bigint, atMs = NOW): Promise<void> {
    await store.hold(hold(requestId, nanos, { atMs }));
    await store.settle(requestId, settlement(nanos, { atMs }));
  }

  async function end({ accountId, keyId, model, upstream, atMs, usage, costNanos }: EndedRequest, at: number): Promise<void> {
    await store.hold(hold(`r${at}`, costNanos, { accountId, keyId, model, atMs }));
    await store.settle(`r${at}`, settlement(costNanos, { atMs, usage, upstream }));
  }

  /** Rows of two accounts: each fifth is of the other one, and each fifth is a hold. */
  async function addNumbered(from: number, to: number): Promise<void> {
    await query(`insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason)
      select id, case when id % 5 = 0 then 'other' else 'acme' end, case when id % 5 = 1 then 'hold' else 'settle' end, 0, 0, '', ''
      from generate_series(${from}, ${to}) as id`);
  }

  describe("balances in memory", () => {
    test("are current after credit of this process, and soon after changes of others", async () => {
      const other = await openRecords(await postgres.open(database.url), PACE);
      await other.records.addCredit(grant(100n));
      expect(other.records.balanceOf("acme")).toEqual({ creditNanos: 100n, heldNanos: 0n });
      await spend("r1", 30n);
      await store.hold(hold("open", 7n));
      await store.flush();
      for (const each of [records, other.records]) {
        await eventually(
          () => each.balanceOf("acme"),
          ({ creditNanos, heldNanos }) => creditNanos === 70n && heldNanos === 7n,
        );
        expect(each.spendingOf("key", "key-1", NOW)).toEqual({ heldNanos: 7n, dayNanos: 30n, monthNanos: 30n, totalNanos: 30n });
      }
      expect(records.balanceOf("nobody")).toEqual({ creditNanos: 0n, heldNanos: 0n });
      other.records.close();
    });

    test("tell which accounts and keys have changed since the last call, and none for a hold", async () => {
      const moved = (): string[] =>
        records
          .takeChangedSpenders()
          .map(({ scope, id }) => `${scope} ${id}`)
          .toSorted();
      expect(moved()).toEqual([]);
      await records.addCredit(grant(9n));
      expect(moved()).toEqual(["account acme"]);
      await store.hold(hold("r1", 2n));
      await store.flush();
      await records.refresh();
      expect(moved()).toEqual([]);
      await store.settle("r1", settlement(2n));
      await store.flush();
      await records.refresh();
      expect([moved(), moved()]).toEqual([["account acme", "key key-1"], []]);
      const reopened = await openRecords(database, PACE);
      expect(reopened.records.takeChangedSpenders()).toEqual([]);
      reopened.records.close();
    });

    test("have the spending of the two latest days and months", async () => {
      await spend("r1", 5n);
      await store.flush();
      const [day, month] = [dayAt(NOW), monthAt(NOW)];
      await database.pool.query(
        `update purses set day = $1, day_nanos = 2, month = $2, month_nanos = 3, total_nanos = 10, previous_day = $1 - 2,
          previous_day_nanos = 4, previous_month = $2 - 1, previous_month_nanos = 6 where scope = 'key'`,
        [day, month],
      );
      const reopened = await openRecords(database, PACE);
      const at = (ms: number): bigint[] => {
        const { dayNanos, monthNanos, totalNanos } = reopened.records.spendingOf("key", "key-1", ms);
        return [dayNanos, monthNanos, totalNanos];
      };
      expect([at(NOW), at(NOW - DAY_MS), at(NOW - 2 * DAY_MS), at(NOW + DAY_MS)]).toEqual([
        [2n, 3n, 10n],
        [0n, 3n, 10n],
        [4n, 3n, 10n],
        [0n, 3n, 10n],
      ]);
      expect(at(NOW - 20 * DAY_MS)[1]).toBe(6n);
      reopened.records.close();
    });

    test("are read again where the database was restored to an earlier state", async () => {
      await records.addCredit(grant(100n));
      await records.addCredit(grant(50n, { reference: "2" }));
      await records.addCredit(grant(7n, { accountId: "other" }));
      await records.refresh();
      expect(await records.numberOf("acme", 2)).toBe(2);
      records.takeChangedSpenders();
      await database.pool.transaction(async (connection) => {
        await connection.query("delete from entries where id > 1");
        await connection.query("delete from purses where id = 'other'");
        await connection.query("update purses set credit_nanos = 100");
        await connection.query("update ledger_head set last_id = 1");
      });
      // As many as were lost, and one more, by another process.
      const other = await openRecords(await postgres.open(database.url), PACE);
      for (const reference of ["a", "b", "c"]) await other.records.addCredit(grant(1n, { accountId: "late", reference }));
      const { entry } = await other.records.addCredit(grant(0n, { reference: "d" }));
      await records.refresh();
      expect(await records.numberOf("acme", entry.id)).toBe(2);
      expect(["acme", "other", "late"].map((id) => records.balanceOf(id).creditNanos)).toEqual([100n, 0n, 3n]);
      expect(records.takeChangedSpenders()).toContainEqual({ scope: "account", id: "acme" });
      other.records.close();
    });
  });

  describe("credit", () => {
    test("is added once, whichever processes add it at the same time, with ids that have no gaps", async () => {
      const other = await openRecords(await postgres.open(database.url), PACE);
      const add = (at: number): Promise<{ isNew: boolean }> =>
        [records, other.records][at % 2]!.addCredit(grant(10n, { accountId: `account-${at % 3}`, reference: `r${at % 5}` }));
      // The rest finds purses that exist.
      for (const at of [0, 1, 2]) await add(at);
      const added = await Promise.all(Array.from({ length: 40 }, (_, at) => add(at)));
      expect(added.filter(({ isNew }) => isNew)).toHaveLength(12);
      expect((await records.entriesAfter(0, 99)).map(({ id }) => id)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
      const { asOfId, accounts } = await records.balances();
      expect([asOfId, [...accounts.values()].map(({ creditNanos }) => creditNanos)]).toEqual([15, [50n, 50n, 50n]]);
      other.records.close();
    });

    test("is written together with the audit log, or not at all", async () => {
      const { entry } = await records.addCredit(grant(10n), ({ id }) => change(id));
      expect(await query("select account_id, after from changes")).toEqual([{ account_id: "acme", after: `{"entryId":${entry.id}}` }]);
      const failing = records.addCredit(grant(5n, { reference: "2" }), () => {
        throw new Error("no change");
      });
      expect(await Promise.allSettled([failing])).toMatchObject([{ status: "rejected", reason: { message: "no change" } }]);
      expect([(await records.balances()).asOfId, records.balanceOf("acme").creditNanos]).toEqual([1, 10n]);
      await records.addCredit(grant(10n), ({ id }) => change(id));
      expect(await query("select id from changes")).toHaveLength(1);
    });

    test("is taken after the processes have returned what they do not use", async () => {
      const recalled: unknown[] = [];
      const recallAll = async (purses: readonly Purse[]): Promise<void> => {
        recalled.push(...purses, (await records.balances()).asOfId);
      };
      const { records: watched } = await openRecords(database, PACE, { recallAll });
      await watched.addCredit(grant(10n));
      await watched.addCredit(grant(-4n, { kind: "adjustment", reference: "2" }));
      expect(recalled).toEqual([{ scope: "account", id: "acme" }, 1]);
      watched.close();
    });

    test("is refused as overloaded while the database does not answer", async () => {
      await records.addCredit(grant(10n));
      const pool = new PostgresPool({ url: database.url, maxConnections: 2, timeoutMs: 500 });
      const slow = await openRecords({ ...database, pool }, PACE);
      await database.pool.transaction(async (connection) => {
        await connection.query("select from purses for update");
        const refused = slow.records.addCredit(grant(1n, { reference: "2" }));
        expect(await Promise.allSettled([refused])).toMatchObject([{ status: "rejected", reason: { code: "overloaded" } }]);
      });
      slow.records.close();
      await pool.close();
      await records.refresh();
      expect(records.balanceOf("acme").creditNanos).toBe(10n);
    });
  });

  test("balances are those of one moment while other processes write", async () => {
    const other = await openRecords(await postgres.open(database.url), PACE);
    await records.addCredit(grant(1000n));
    const taken: LedgerBalances[] = [];
    const written = (async () => {
      for (let at = 0; taken.length < 20; at++) {
        await spend(`r${at}`, 3n);
        await store.hold(hold(`open-${at}`, 2n));
        await store.flush();
      }
    })();
    while (taken.length < 20) taken.push(await other.records.balances());
    await written;
    const entries = await records.entriesAfter(0, 1_000_000);
    for (const { asOfId, accounts, spentByKey } of taken) {
      const of = (kind: string): bigint => BigInt(entries.filter((entry) => entry.kind === kind && entry.id <= asOfId).length);
      const spentNanos = 3n * of("settle");
      const heldNanos = 2n * (of("hold") - of("settle"));
      expect([accounts.get("acme"), spentByKey.get("key-1") ?? 0n]).toEqual([
        { creditNanos: 1000n - spentNanos, heldNanos, spentNanos },
        spentNanos,
      ]);
    }
    other.records.close();
  });

  test("numbers entries over several slices, and later ones", async () => {
    await addNumbered(1, 50_000);
    const numbers = new PostgresEntryNumbers(database.pool);
    // Three of five are listed entries of the account: 2, 3 and 4, 7, 8 and 9.
    const concurrent = [numbers.numberOf("acme", 49_999), numbers.numberOf("acme", 9)];
    expect(await Promise.all(concurrent)).toEqual([30_000, 6]);
    await addNumbered(50_001, 60_000);
    expect(await numbers.numberOf("acme", 59_999)).toBe(36_000);
    expect(await numbers.numberOf("acme", 49_998)).toBe(29_999);
    expect(await numbers.numberOf("other", 60_000)).toBe(12_000);
  });

  describe("usage", () => {
    /** Requests of some days, each tenth of them from a journal that was applied days later. */
    const ended = Array.from({ length: 400 }, (_, at): EndedRequest => {
      const atMs = NOW + at * 9 * 60_000 - (at % 10 === 0 ? 2 * DAY_MS : 0);
      const names = { accountId: `account-${at % 3}`, keyId: `key-${at % 6}`, model: `Modell-${at % 4}`, upstream: `u${at % 2}` };
      return { ...names, atMs, usage: { ...USAGE, promptTokens: at }, costNanos: BigInt(at), unchargedNanos: 0n };
    });

    test("is exact while entries are added to the rollups piece by piece, by several processes", async () => {
      const rollups = [database, await postgres.open(database.url)].map(({ pool }) => new UsageRollups(pool, PACE));
      const bounds = [NOW - 3 * DAY_MS + 1, NOW - DAY_MS, NOW + 7 * 60_000, NOW + DAY_MS + 20 * 60_000, NOW + 2 * DAY_MS + 5];
      for (let from = 0; from < ended.length; from += 50) {
        await Promise.all(ended.slice(from, from + 50).map((request, at) => end(request, from + at)));
        await store.flush();
        await Promise.all(rollups.map((each) => each.roll()));
        for (const by of [[], ["model"], ["account", "key"]] as const) {
          const asked = { bounds, by };
          expect([from, await records.usage(asked)]).toEqual([from, addUpPlainly(ended.slice(0, from + 50), asked)]);
        }
      }
      const [rolled] = await query<{ as_of_id: bigint }>("select as_of_id from usage_rolled");
      expect(rolled!.as_of_id).toBeGreaterThan(700n);
    });

    test("has the most expensive rows of each bucket first where asked", async () => {
      await Promise.all(ended.map(end));
      const bounds = [NOW - 3 * DAY_MS, NOW, NOW + 3 * DAY_MS];
      const { rows } = await records.usage({ bounds, by: ["key"], isCostliestFirst: true, limit: 8 });
      const expected = addUpPlainly(ended, { bounds, by: ["key"] }).rows.toSorted(
        (one, other) => one.fromMs - other.fromMs || Number(other.costNanos - one.costNanos),
      );
      expect(rows).toEqual(expected.slice(0, 8));
    });

    test("is added up in the background", async () => {
      await Promise.all(ended.map(end));
      await store.flush();
      const rollups = new UsageRollups(database.pool, PACE);
      rollups.start();
      await eventually(
        () => query<{ as_of_id: bigint }>("select as_of_id from usage_rolled"),
        ([rolled]) => rolled!.as_of_id >= 760n,
      );
      await rollups.close();
    });

    test("is refused while most of the ledger is not in the rollups", async () => {
      await query("update ledger_head set last_id = 250000");
      await query("update usage_rolled set as_of_id = 25000");
      const behind = await openRecords(database, PACE, { catchUp: async () => undefined });
      const asked = await Promise.allSettled([behind.records.usage({ bounds: [0, NOW], by: [] })]);
      behind.records.close();
      expect(asked).toMatchObject([{ status: "rejected", reason: { code: "overloaded" } }]);
      expect(String((asked[0] as PromiseRejectedResult).reason)).toContain("10 % of the ledger");
    });
  });

  test("a request is found while it is open and when it has ended", async () => {
    expect(await records.findRequest("r1")).toBeUndefined();
    await store.hold(hold("r1", 5n));
    expect(await records.findRequest("r1")).toEqual({ hold: { kind: "hold", id: 1, ...hold("r1", 5n) }, closing: undefined });
    await store.settle("r1", settlement(3n));
    expect(await records.findRequest("r1")).toMatchObject({
      hold: { id: 1 },
      closing: { kind: "settle", id: 2, holdId: 1, amountNanos: 3n },
    });
  });
});
