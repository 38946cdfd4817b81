import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHashSecret } from "../../src/main/load-hash-secret.ts";
import { audit } from "../../src/platform/audit/auditor.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { hashApiKey, idOfApiKey, opens } from "../../src/access/api-key.ts";
import type { SettleEntry } from "../../src/money/ledger-entry.ts";
import { openPlatform, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { addUpPlainly, type EndedRequest } from "../support/money/plain-usage.ts";
import { OUTCOMES } from "../../src/requests/logged-request.ts";
import { endedAt } from "../request-log/ended-samples.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { buildFolder, RECORDED, type EarlierFolder } from "./build-folder.ts";
import { inDatabase, rowsOf, schemaOf } from "./read-folder.ts";
import { writeEverywhere } from "./write-everywhere.ts";

const DAY_MS = 86_400_000;
const KEEPS_A_LOG = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };

const open = ({ path, nowMs }: Pick<EarlierFolder, "path" | "nowMs">): Promise<PlatformInProcess> =>
  openPlatform(new Map(), { folder: path, nowMs: () => nowMs, requestLog: KEEPS_A_LOG });

/** The day of the recording. */
function dayOf({ nowMs }: EarlierFolder): [fromMs: number, toMs: number] {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return [startMs, startMs + DAY_MS];
}

const folders: string[] = [];

function build(name: string): EarlierFolder {
  const folder = buildFolder(name);
  folders.push(folder.path);
  return folder;
}

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

async function checkBalances(folder: string, { stores }: PlatformInProcess): Promise<void> {
  const sql = `select account_id as id, sum(case kind when 'settle' then -amount_nanos when 'grant' then amount_nanos
    when 'adjustment' then amount_nanos else 0 end) as credit from entries group by account_id order by 1`;
  const sums = inDatabase(folder, (file) => file.query<{ id: string; credit: number }, []>(sql).all());
  const { accounts } = await stores.ledgerRecords.balances();
  const balances = [...accounts].map(([id, { creditNanos }]) => ({ id, credit: Number(creditNanos) }));
  expect(balances.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(sums);
}

/** What was charged on the day, by the entries, is what counts against spend caps on that day. */
function checkSpending({ path, nowMs }: EarlierFolder, { stores }: PlatformInProcess): void {
  for (const scope of ["account", "key"] as const) {
    const sql = `select ${scope}_id as id, sum(amount_nanos) as spent from entries where kind = 'settle' group by 1`;
    const sums = inDatabase(path, (file) => file.query<{ id: string; spent: number }, []>(sql).all());
    for (const { id, spent } of sums) {
      const { dayNanos, monthNanos, totalNanos } = stores.ledger.spendingOf(scope, id, nowMs);
      expect([id, dayNanos, monthNanos, totalNanos]).toEqual([id, BigInt(spent), BigInt(spent), BigInt(spent)]);
    }
  }
}

function endedRequests(folder: string): EndedRequest[] {
  const sql = `select account_id as accountId, key_id as keyId, model, coalesce(upstream, '') as upstream, at_ms as atMs,
    coalesce(prompt_tokens, 0) as promptTokens, coalesce(cached_tokens, 0) as cachedTokens, coalesce(cache_write_tokens, 0) as cacheWriteTokens,
    coalesce(completion_tokens, 0) as completionTokens, coalesce(reasoning_tokens, 0) as reasoningTokens, amount_nanos as cost,
    coalesce(uncharged_nanos, 0) as uncharged from entries where kind in ('settle', 'release')`;
  type Row = Omit<EndedRequest, "usage" | "costNanos" | "unchargedNanos"> & EndedRequest["usage"] & { cost: number; uncharged: number };
  const rows = inDatabase(folder, (file) => file.query<Row, []>(sql).all());
  return rows.map(({ cost, uncharged, ...row }) => ({ ...row, usage: row, costNanos: BigInt(cost), unchargedNanos: BigInt(uncharged) }));
}

async function checkUsage(folder: EarlierFolder, { stores }: PlatformInProcess): Promise<void> {
  const bounds = dayOf(folder);
  for (const by of [["model"], ["account", "key"], ["upstream"]] as const) {
    const question = { bounds, by };
    const { rows, total } = await stores.ledgerRecords.usage(question);
    expect({ rows, total }).toEqual(addUpPlainly(endedRequests(folder.path), question));
  }
}

async function checkSums(folder: EarlierFolder, running: PlatformInProcess): Promise<void> {
  await checkBalances(folder.path, running);
  checkSpending(folder, running);
  await checkUsage(folder, running);
  const { ledgerRecords, keys } = running.stores;
  expect((await audit({ ledger: ledgerRecords, keyIds: keys.ids(), nowMs: folder.nowMs })).discrepancies).toEqual([]);
}

function checkKeys({ path, keys, nowMs }: EarlierFolder, { stores }: PlatformInProcess): void {
  const hashSecret = loadHashSecret(path, undefined, stores.keys);
  for (const key of keys) expect(opens(stores.keys.find(idOfApiKey(key)!)!, hashApiKey(key, hashSecret), nowMs)).toBe(true);
  expect(keys.length).toBeGreaterThan(0);
}

/** Each request of the log is there with what the ledger says of it, also beside one that is written today. */
async function checkLog(folder: EarlierFolder, { stores }: PlatformInProcess): Promise<void> {
  const { loggedRequests, nowMs } = folder;
  const logged = (await stores.requestLog.list({}, undefined, "older", 1000)).map(({ request }) => request);
  expect(logged).toHaveLength(loggedRequests);
  for (const { requestId, costNanos, attempts } of logged.filter(({ outcome }) => outcome === "complete")) {
    const record = await stores.ledgerRecords.findRequest(requestId);
    const closing = record!.closing as SettleEntry;
    expect([costNanos, attempts.at(-1)!]).toMatchObject([closing.amountNanos, { upstream: closing.upstream, outcome: "answered" }]);
  }
  stores.requestLog.note(endedAt(nowMs, 200));
  expect(await stores.requestLog.list({}, undefined, "older", 1000)).toHaveLength(loggedRequests + 1);
  const { total } = await stores.requestLog.statistics({ bounds: dayOf(folder) });
  expect(total.requests).toBe(loggedRequests + 1);
  // Earlier versions wrote other names for some outcomes.
  for (const outcome of OUTCOMES) {
    const found = await stores.requestLog.list({ outcome }, undefined, "older", 1000);
    expect(found.filter(({ request }) => request.outcome !== outcome)).toEqual([]);
    expect([outcome, found.length]).toEqual([outcome, total.outcomes[outcome]]);
  }
}

const FRESH = buildEmpty();

function buildEmpty(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-upgrade-"));
  folders.push(folder);
  return folder;
}

/** What follows from the entries, or belongs to the process: it may be counted again, or be over. */
const DERIVED = /^(kysely_|usage_|tallie|progress)/;

describe("a data folder of an earlier version", () => {
  beforeAll(async () => (await open({ path: FRESH, nowMs: Date.now() })).stop());

  for (const name of RECORDED) {
    test(`${name} has the schema of a new one, all rows, exact sums, and is writable`, async () => {
      const folder = build(name);
      const before = rowsOf(folder.path);
      const running = await open(folder);
      expect(schemaOf(folder.path)).toEqual(schemaOf(FRESH));
      const opened = rowsOf(folder.path);
      const lost = Object.keys(before).filter((table) => !DERIVED.test(table) && opened[table]!.length < before[table]!.length);
      expect(lost).toEqual([]);
      await checkSums(folder, running);
      checkKeys(folder, running);
      await checkLog(folder, running);
      await writeEverywhere(running, folder.nowMs);
      await checkSums(folder, running);
      await running.stop();

      const written = rowsOf(folder.path);
      const unchanged = Object.keys(written).filter((table) => JSON.stringify(written[table]) === JSON.stringify(opened[table]));
      // How far usage was added up is written when there is time for it, which a busy machine may have later.
      // Instances are written by owners of gateway processes alone.
      // Requests of these versions have no attribution.
      const attribution = ["attribution_days", "attribution_series", "attribution_sums", "attribution_tag_days"];
      const expected = [...attribution, "instances", "kysely_migration", "kysely_migration_lock"];
      expect(unchanged.filter((table) => table !== "progress").toSorted()).toEqual(expected);
      const again = await open(folder);
      await checkSums(folder, again);
      await again.stop();
    });
  }

  test("has its migrations reported, a new one none, and an up-to-date one none", async () => {
    const [{ path }, { path: later }] = [build("22-mapped-journal"), build("23-attribution")];
    for (const [dataFolder, expected] of [
      [
        path,
        [
          [
            "0012-repair-schema",
            "0013-recount-spending",
            "0014-cost-version",
            "0015-instances",
            "0026-attribution",
            "0027-price-lists",
            "0027-usage-costs",
            "0028-show-credit",
            "0029-attribution-usage",
            "0031-attribution-tag-days",
            "0032-identities",
            "0033-attribution-days",
            "0034-saved-views",
            "0035-archive",
            "0036-alerts",
            "0037-credit-line",
            "0038-imported-keys",
            "0040-discovered-models",
            "0041-import-sources",
          ],
        ],
      ],
      [path, []],
      [
        later,
        [
          [
            "0026-attribution",
            "0027-price-lists",
            "0027-usage-costs",
            "0028-show-credit",
            "0029-attribution-usage",
            "0031-attribution-tag-days",
            "0032-identities",
            "0033-attribution-days",
            "0034-saved-views",
            "0035-archive",
            "0036-alerts",
            "0037-credit-line",
            "0038-imported-keys",
            "0040-discovered-models",
            "0041-import-sources",
          ],
        ],
      ],
      [buildEmpty(), []],
    ] as const) {
      const reported: (readonly string[])[] = [];
      const stores = await openStores({ ...STORE_OPTIONS, dataFolder, reportMigrations: (names) => void reported.push(names) });
      await stores.close();
      expect(reported).toEqual([...expected]);
    }
  });

  test("that lost a day's spending when the wall clock was set back counts it again", async () => {
    // The last one that was recorded before 0013-recount-spending, which runs once.
    const folder = build("22-mapped-journal");
    const lost = "update tallies set day = day - 3, day_nanos = 0, month_nanos = 1";
    expect(inDatabase(folder.path, (file) => file.run(lost).changes)).toBeGreaterThan(2);
    const running = await open(folder);
    checkSpending(folder, running);
    await running.stop();
  });
});
