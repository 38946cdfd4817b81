import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { DAY_MS, hold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { addUpPlainly, type EndedRequest } from "../../../../test/support/money/plain-usage.ts";
import type { PostgresTestLedger } from "../../../../test/support/money/postgres-ledger.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { openRecords } from "../../../../test/support/postgres/open-records.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { PostgresLedgerRecordStore } from "../postgres-records/postgres-ledger-record-store.ts";
import { UsageRollups } from "./postgres-rollup-updater.ts";

const PACE = { maxLag: 40, entriesAtOnce: 30 };

/** Requests of several days. Every tenth is from a journal that was applied days later. */
const ended = Array.from({ length: 400 }, (_, at): EndedRequest => {
  const atMs = NOW + at * 9 * 60_000 - (at % 10 === 0 ? 2 * DAY_MS : 0);
  const names = { accountId: `account-${at % 3}`, keyId: `key-${at % 6}`, model: `Modell-${at % 4}`, upstream: `u${at % 2}` };
  const attribution = at % 4 === 0 ? undefined : { user: `user-${at % 9}`, tags: { team: `team-${at % 2}` } };
  return { ...names, atMs, usage: { ...USAGE, promptTokens: at }, costNanos: BigInt(at), unchargedNanos: 0n, attribution };
});

describe.skipIf(!hasPostgres)("usage in PostgreSQL", () => {
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

  async function end({ accountId, keyId, model, upstream, atMs, usage, costNanos, attribution }: EndedRequest, at: number): Promise<void> {
    await store.hold(hold(`r${at}`, costNanos, { accountId, keyId, model, atMs, attribution }));
    await store.settle(`r${at}`, settlement(costNanos, { atMs, usage, upstream }));
  }

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
      for (const dimension of ["user", "tag:team", "conversation"] as const) {
        const asked = { bounds, by: ["account", "attributed"], attributed: { dimension } } as const;
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

  test("names as many end users of an account and day as it may, and counts the others", async () => {
    const rollups = new UsageRollups(database.pool, { maxLag: 0, entriesAtOnce: 45, namesPerDay: 2 });
    const few = await openRecords(database, { ...PACE, namesPerDay: 2 });
    for (const [at, request] of ended.entries()) {
      await end(request, at);
      if (at % 60 !== 59) continue;
      await store.flush();
      while (await rollups.roll()) continue;
      const asked = { bounds: [0, NOW + 1.5 * DAY_MS + 7], by: ["account", "attributed"], attributed: { dimension: "user" } } as const;
      expect([at, await few.records.usage(asked)]).toEqual([at, addUpPlainly(ended.slice(0, at + 1), asked, () => 2)]);
    }
    few.records.close();
    expect(rollups.overflows.user).toBeGreaterThan(50);
    expect(rollups.overflows).toMatchObject({ conversation: 0, tag: 0 });
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

  test("is added up in smaller pieces where larger ones take too long", async () => {
    await Promise.all(ended.map(end));
    await store.flush();
    const pieces: number[] = [];
    const transaction: PostgresPool["transaction"] = (work) =>
      database.pool.transaction((connection) =>
        work({
          query(sql, parameters = []) {
            const size = sql.includes("insert into entry_blocks") ? Number(parameters[1]) - Number(parameters[0]) : 0;
            if (size > 0) pieces.push(size);
            if (size > 100) throw new StorageUnavailable("unreachable", { cause: undefined });
            return connection.query(sql, parameters);
          },
        }),
      );
    const rollups = new UsageRollups({ transaction } as PostgresPool, { maxLag: 0, entriesAtOnce: 400 });
    for (let left = true; left;) left = await rollups.roll().catch(() => true);
    expect(pieces.slice(0, 4)).toEqual([400, 200, 100, 200]);
    const asked = { bounds: [0, NOW + 9 * DAY_MS], by: ["key"] } as const;
    expect(await records.usage(asked)).toEqual(addUpPlainly(ended, asked));
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
