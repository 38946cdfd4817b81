/**
 * What it costs to add up usage from a ledger of a million entries: for how long it takes, and for how long at a time nothing
 * else can run meanwhile.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { STORE_OPTIONS } from "../test/store-options.ts";
import { openStores } from "../src/stores/open-stores.ts";
import type { UsageFilter, UsageGroup } from "../src/stores/ledger/ledger-store.ts";

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const DAYS = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.now();

/** A hold and its end for each request: 100 accounts, of which the first has a tenth of all, 10 keys each, 20 models, 60 days. */
function fill(path: string): void {
  const file = new Database(path);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ENTRIES}),
      e as (select i, (i + 1) / 2 as r, ${NOW - DAYS * DAY_MS} + i * ${Math.floor((DAYS * DAY_MS) / ENTRIES)} as at from n),
      a as (select *, case when r % 10 = 0 then 0 else r % 100 end as account from e)
    insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
      uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts)
    select i, 'account-' || account, case i % 2 when 1 then 'hold' else 'settle' end, 220200, at, 'key', 'complete',
      'req_019a5f3c-77ad-7000-8a51-' || printf('%012d', r), 'key-' || account || '-' || (r % 7), 'model-' || (r % 20), 'version',
      case i % 2 when 0 then i - 1 end, 0, 160, 30, 0, 363, 0, 'measured', 'upstream', 1 from a`);
  file.run("pragma wal_checkpoint(truncate)");
  file.close();
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-usage-"));
const options = { ...STORE_OPTIONS, dataFolder: folder, nowMs: () => NOW };
await (await openStores(options)).close();
fill(join(folder, "tollgate.db"));
const stores = await openStores(options);

/** The longest time in which nothing else could run while this was going on. */
async function longestStop(work: Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    turn = setImmediate(look);
  };
  let turn = setImmediate(look);
  await work;
  clearImmediate(turn);
  return longest;
}

const all = { fromMs: NOW - DAYS * DAY_MS, toMs: NOW };
const month = { fromMs: NOW - 30 * DAY_MS, toMs: NOW };
const cases: [string, UsageFilter, UsageGroup][] = [
  ["everything, by model", all, "model"],
  ["everything, by key", all, "key"],
  ["30 days, by day", month, "day"],
  ["a tenth of it, one account, by model", { ...all, accountId: "account-0" }, "model"],
  ["one small account, 30 days, by day", { ...month, accountId: "account-7" }, "day"],
  ["one hour, by model", { fromMs: NOW - 3_600_000, toMs: NOW }, "model"],
];
process.stdout.write(`Usage from ${ENTRIES.toLocaleString("en")} entries, best of 3\n`);
for (const [name, filter, by] of cases) {
  const runs: { ms: number; stopMs: number; rows: number; requests: number }[] = [];
  for (let time = 0; time < 3; time++) {
    const begun = performance.now();
    const work = stores.ledger.usage(filter, by);
    const stopMs = await longestStop(work);
    const rows = await work;
    runs.push({
      ms: performance.now() - begun,
      stopMs,
      rows: rows.length,
      requests: rows.reduce((sum, row) => sum + row.requests, 0),
    });
  }
  const best = runs.toSorted((a, b) => a.ms - b.ms)[0]!;
  process.stdout.write(
    `  ${name.padEnd(38)} ${best.ms.toFixed(0).padStart(5)} ms, at most ${best.stopMs.toFixed(1)} ms at a time; ${best.requests} requests in ${best.rows} rows\n`,
  );
}
await stores.close();
rmSync(folder, { recursive: true });
