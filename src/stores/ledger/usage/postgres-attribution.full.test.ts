import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, NOW, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import { addUpPlainly, type EndedRequest } from "../../../../test/support/money/plain-usage.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { openRecords } from "../../../../test/support/postgres/open-records.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import type { UsageReportQuery } from "../ledger-record-store.ts";
import type { PostgresLedgerRecordStore } from "../postgres-records/postgres-ledger-record-store.ts";
import { UsageRollups } from "./postgres-rollup-updater.ts";

/** More end users than one row holds at any granularity, in several accounts, with alternating keys and models. */
const ended = Array.from({ length: 4000 }, (_, at): EndedRequest => {
  const user = `user-${(at * 7) % 2600}`;
  const names = { accountId: `account-${at % 10 === 0 ? 1 : 0}`, keyId: `key-${at % 7}`, model: `Modell-${at % 3}`, upstream: "upstream" };
  const attribution = at % 11 === 0 ? undefined : { user, conversation: `c-${Math.floor(at / 3)}`, tags: { team: `team-${at % 5}` } };
  const upstreamCostNanos = at % 4 === 0 ? BigInt(at) : undefined;
  return {
    ...names,
    atMs: NOW + Math.floor((at * 4 * DAY_MS) / 4000),
    usage: { ...USAGE, promptTokens: at },
    costNanos: BigInt(at) * 1_000_003n,
    unchargedNanos: 0n,
    upstreamCostNanos,
    attribution,
  };
});

const INSERT = `insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, hold_id, key_id, model, price_version,
    uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts,
    attribution, upstream_cost_nanos)
  select place, account_id, 'settle', cost, at_ms, 'key', 'complete', place::text, 0, key_id, model, 'version', 0, prompt, $1, $2, $3, $4, 'measured',
    'upstream', 1, attribution, upstream_cost
  from unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[]) with ordinality
    as ended(account_id, key_id, model, at_ms, cost, prompt, attribution, upstream_cost, place)`;

/** A bound of a quarter hour, and moments within quarter hours. */
const bounds = [NOW - DAY_MS, NOW + 1_234_567, NOW + DAY_MS, NOW + 3 * DAY_MS + 77_777, NOW + 5 * DAY_MS];

const QUERIES: readonly UsageReportQuery[] = [
  { bounds, by: ["account", "attributed"], attributed: { dimension: "user" } },
  { bounds, by: ["attributed"], accountId: "account-0", attributed: { dimension: "conversation" } },
  { bounds, by: ["key", "attributed"], accountId: "account-0", attributed: { dimension: "tag:team" } },
  { bounds, by: ["attributed"], accountId: "account-0", model: "Modell-1", attributed: { dimension: "user" } },
  { bounds, by: ["attributed"], accountId: "account-0", keyId: "key-3", attributed: { dimension: "user" } },
  { bounds, by: ["model"], accountId: "account-0", attributed: { dimension: "user", names: ["user-7", "user-2597"] } },
  { bounds, by: [], accountId: "account-0", attributed: { dimension: "user", names: ["none"] } },
  { bounds, by: [], attributed: { dimension: "user", names: ["nobody"] } },
];

describe.skipIf(!hasPostgres)("usage by end user in PostgreSQL", () => {
  const postgres = postgresFixture();
  let database: OpenPostgres;
  let records: PostgresLedgerRecordStore;

  beforeEach(async () => {
    database = await postgres.open();
    const { cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = USAGE;
    await database.pool.query(INSERT, [
      cachedTokens,
      cacheWriteTokens,
      completionTokens,
      reasoningTokens,
      ended.map(({ accountId }) => accountId),
      ended.map(({ keyId }) => keyId),
      ended.map(({ model }) => model),
      ended.map(({ atMs }) => atMs),
      ended.map(({ costNanos }) => costNanos),
      ended.map(({ usage }) => usage.promptTokens),
      ended.map(({ attribution }) => (attribution ? JSON.stringify(attribution) : null)),
      ended.map(({ upstreamCostNanos }) => upstreamCostNanos ?? null),
    ]);
    await database.pool.query("update ledger_head set last_id = $1", [ended.length]);
    ({ records } = await openRecords(database, {}, { catchUp: async () => undefined, namesPerDay: undefined }));
  });
  afterEach(() => records.close());

  const answers = QUERIES.map((query) => addUpPlainly(ended, query));

  async function checkAll(): Promise<void> {
    for (const [at, query] of QUERIES.entries()) expect([query, await records.usage(query)]).toEqual([query, answers[at]!]);
  }

  test("is exact for thousands of names, before and while they are added to the rollups", async () => {
    const rollups = new UsageRollups(database.pool, { maxLag: 0, entriesAtOnce: 1500 });
    await checkAll();
    while (await rollups.roll()) await checkAll();
  });

  test("is exact while all is added up again", async () => {
    const rollups = new UsageRollups(database.pool, { maxLag: 0, entriesAtOnce: 3000 });
    await rollups.roll();
    for (const table of ["attribution_sums", "attribution_series", "attribution_tag_days", "usage_sums", "usage_series", "entry_blocks"]) {
      await database.pool.query(`delete from ${table}`);
    }
    await database.pool.query("update usage_rolled set as_of_id = 0");
    await checkAll();
    while (await rollups.roll()) continue;
    await checkAll();
  });

  test("has pages that continue from each other", async () => {
    const query = { bounds, by: ["attributed"], accountId: "account-0", attributed: { dimension: "user" } } as const;
    await new UsageRollups(database.pool, { maxLag: 0 }).roll();
    const { rows: expected, total } = addUpPlainly(ended, query);
    const rows = [];
    for (let isMore = true; isMore;) {
      const page = await records.usage({ ...query, limit: 700, after: rows.at(-1) });
      expect(page.total).toEqual(total);
      rows.push(...page.rows);
      isMore = page.rows.length === 700;
    }
    expect(rows).toEqual(expected);
  });

  test("names no more end users of a day than it may, whether or not they are in the rollups", async () => {
    const namesPerDay = 300;
    const rollups = new UsageRollups(database.pool, { maxLag: 0, entriesAtOnce: 1100, namesPerDay });
    const few = await openRecords(database, {}, { catchUp: async () => undefined, namesPerDay });
    for (let isMore = true; isMore; isMore = await rollups.roll()) {
      for (const dimension of ["user", "conversation", "tag:team"] as const) {
        const query = { bounds, by: ["account", "attributed"], attributed: { dimension } } as const;
        expect(await few.records.usage(query)).toEqual(addUpPlainly(ended, query, () => namesPerDay));
      }
    }
    few.records.close();
    expect(rollups.overflows).toMatchObject({ tag: 0 });
    expect(rollups.overflows.user).toBeGreaterThan(1000);
  });

  test("has one limit of names for all of a day, whatever the settings of the processes that add it up", async () => {
    const rollups = [300, 100, 500].map((namesPerDay) => new UsageRollups(database.pool, { maxLag: 0, entriesAtOnce: 450, namesPerDay }));
    const few = await openRecords(database, {}, { catchUp: async () => undefined, namesPerDay: 200 });
    const query = { bounds, by: ["account", "attributed"], accountId: "account-0", attributed: { dimension: "user" } } as const;
    const limits = new Map<number, number>();
    for (let at = 0, isMore = true; isMore; at++) {
      const expected = addUpPlainly(ended, query, (day) => limits.get(day) ?? 200);
      expect([at, await few.records.usage(query)]).toEqual([at, expected]);
      isMore = await rollups[at % 3]!.roll();
      const [rolled] = await database.pool.query<{ as_of_id: bigint }>("select as_of_id from usage_rolled");
      for (const { atMs, attribution } of ended.slice(0, Number(rolled!.as_of_id))) {
        const day = Math.floor(atMs / DAY_MS);
        if (attribution && !limits.has(day)) limits.set(day, [300, 100, 500][at % 3]!);
      }
    }
    few.records.close();
    expect(new Set(limits.values()).size).toBe(3);
  });
});
