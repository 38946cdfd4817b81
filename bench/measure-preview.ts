/**
 * Measures the preview of a change with a million ledger entries of the last seven days: its duration, and the longest time for which it
 * blocks the event loop.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { openPlatform, OPERATOR, type PlatformInProcess } from "../test/support/gateway/platform-in-process.ts";

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const SPAN_MS = 7 * 24 * 60 * 60 * 1000;
const NOW = Date.now();
const ACCOUNTS = 50;
const KEYS_OF_EACH = 2;

/**
 * Writes a hold and its end for each request: 50 accounts with 2 keys each and 20 models. The first account has a tenth of all requests,
 * and the first model has half of them.
 */
function fill(path: string): void {
  const file = new Database(path);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ENTRIES}),
      e as (select i, (i + 1) / 2 as r, ${NOW - SPAN_MS} + i * ${Math.floor(SPAN_MS / ENTRIES)} as at from n),
      a as (select *, case when r % 10 = 0 then 0 else r % ${ACCOUNTS} end as account from e)
    insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
      uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts)
    select i, 'account-' || account, case i % 2 when 1 then 'hold' else 'settle' end, 220200, at, 'key', 'complete',
      'req_019a5f3c-77ad-7000-8a51-' || printf('%012d', r), (select id from keys where name = 'key-' || account || '-' || (r % ${KEYS_OF_EACH})),
      'model-' || case when r % 2 = 0 then 0 else r % 20 end, 'version', case i % 2 when 0 then i - 1 end, 0, 160, 30, 0, 363, 0, 'measured', 'upstream', 1 from a`);
  file.run("pragma wal_checkpoint(truncate)");
  file.close();
}

async function make(open: PlatformInProcess): Promise<string> {
  const made = async (operationId: string, body: object): Promise<string> =>
    String((await open.call(OPERATOR, operationId, { body })).body["id"]);
  await made("createUpstream", { id: "u", dialect: "openai", base_url: "https://u.example/v1" });
  const price = { input_per_million: 1, output_per_million: 2 };
  for (let at = 0; at < 20; at++) await made("createModel", { id: `model-${at}`, routes: [{ upstream: "u", model: "m" }], price });
  let first = "";
  for (let account = 0; account < ACCOUNTS; account++) {
    await made("createAccount", { id: `account-${account}`, name: "an account" });
    for (let key = 0; key < KEYS_OF_EACH; key++) {
      const id = await made("createKey", { name: `key-${account}-${key}`, account: `account-${account}`, models: ["*"] });
      if (account === 0 && key === 0) first = id;
    }
  }
  return first;
}

/** The longest time for which the event loop was blocked during the work. */
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

const folder = mkdtempSync(join(tmpdir(), "tollgate-preview-"));
const first = await openPlatform(new Map(), { nowMs: () => NOW, folder });
const keyId = await make(first);
await first.stop();
fill(join(folder, "tollgate.db"));
// A graceful shutdown records that no hold is open. Otherwise this is recorded every few thousand entries.
await (await openPlatform(new Map(), { nowMs: () => NOW, folder })).stop();
const open = await openPlatform(new Map(), { nowMs: () => NOW, folder });

const limits = { requests_per_minute: 3, tokens_per_minute: 5000, concurrent_requests: 2 };
const caps = { day: "1", month: "5", total: "1000" };
const price = { input_per_million: 1.5, output_per_million: 2 };
const cases: [name: string, operationId: string, id: string, body: object][] = [
  ["a model's price, half of it", "updateModel", "model-0", { price }],
  ["a model's price, a twentieth", "updateModel", "model-3", { price }],
  ["an account's list, a tenth of it", "updateAccount", "account-0", { models: ["model-1*"] }],
  ["an account's caps and limits, a tenth", "updateAccount", "account-0", { caps, limits }],
  ["a small account's caps and limits", "updateAccount", "account-7", { caps, limits }],
  ["a key's caps and limits", "updateKey", keyId, { caps, limits }],
];
process.stdout.write(`Previews from ${ENTRIES.toLocaleString("en")} entries of 7 days, best of 3\n`);
for (const [name, operationId, id, body] of cases) {
  const tries: { ms: number; stopMs: number; says: string }[] = [];
  for (let time = 0; time < 3; time++) {
    const begun = performance.now();
    const work = open.call(OPERATOR, operationId, { params: { id }, body, query: "preview=true" });
    const stopMs = await longestStop(work);
    const { requests, refused } = (await work).body;
    tries.push({ ms: performance.now() - begun, stopMs, says: `${Number(refused)} of ${Number(requests)} requests refused` });
  }
  const best = tries.toSorted((a, b) => a.ms - b.ms)[0]!;
  process.stdout.write(
    `  ${name.padEnd(38)} ${best.ms.toFixed(0).padStart(5)} ms, at most ${best.stopMs.toFixed(1)} ms at a time; ${best.says}\n`,
  );
}
await open.stop();
rmSync(folder, { recursive: true, force: true });
