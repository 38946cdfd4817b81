import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { DAY_MS, grant, hold, NOW, settlement } from "../../../../test/support/money/ledger-samples.ts";
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
import { EntryReader } from "../records/entry-reader.ts";
import { PostgresRows } from "../records/postgres-rows.ts";

const PACE = { maxLag: 40, entriesAtOnce: 30 };

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

  /** Entries of two accounts: every fifth belongs to the other account, and every fifth is a hold. */
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
      // Another process adds the number of lost entries and one more.
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
      // The following charges find existing purses.
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
      // On a slow machine, the database may be too slow for this pool even before it is locked.
      const slow = await eventually(
        () => openRecords({ ...database, pool }, PACE).catch(() => undefined),
        (opened) => opened !== undefined,
      );
      await database.pool.transaction(async (connection) => {
        await connection.query("select from purses for update");
        const refused = slow!.records.addCredit(grant(1n, { reference: "2" }));
        expect(await Promise.allSettled([refused])).toMatchObject([{ status: "rejected", reason: { code: "overloaded" } }]);
      });
      slow!.records.close();
      await pool.close();
      await records.refresh();
      expect(records.balanceOf("acme").creditNanos).toBe(10n);
    });
  });

  test("balances are from one moment while other processes write", async () => {
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
    const numbers = new EntryReader(new PostgresRows(database.pool));
    // Three of five are listed entries of the account: 2, 3 and 4, 7, 8 and 9.
    const concurrent = [numbers.numberOf("acme", 49_999), numbers.numberOf("acme", 9)];
    expect(await Promise.all(concurrent)).toEqual([30_000, 6]);
    await addNumbered(50_001, 60_000);
    expect(await numbers.numberOf("acme", 59_999)).toBe(36_000);
    expect(await numbers.numberOf("acme", 49_998)).toBe(29_999);
    expect(await numbers.numberOf("other", 60_000)).toBe(12_000);
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
