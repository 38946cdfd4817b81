import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { DAY_MS, END, scramble, USER } from "./fill-ledger.ts";

const REQUESTS_AT_ONCE = 100_000;

const INSERT = `
  with n as (select i, (i + 1) / 2 as r, i % 2 = 1 as is_hold from generate_series($1::bigint, $2::bigint) as i),
  h as (select *, ${scramble("r", 2_654_435_761)} as h1, ${scramble("r", 3_266_489_917)} as h2, ${scramble("r", 668_265_263)} as h3 from n),
  a as (select *, ${USER} % 10 as k, h3 % 50 = 0 as is_failure from h),
  u as (select *, not is_hold and not is_failure as is_settled from a)
  insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
    uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts,
    attribution)
  select i, 'account-0', case when is_hold then 'hold' when is_failure then 'release' else 'settle' end,
    case when is_hold or is_settled then 220200 + h1 else 0 end, $3::float8 + (r - 1) * $4::float8, 'key', 'complete',
    'req_019a5f3c-77ad-7000-8a51-' || lpad(r::text, 12, '0'), 'key-0-' || k, 'model-' || ((k * 3 + h2 / 10 % 3) % 20), 'version',
    case when is_hold then null else i - 1 end, case when is_settled then 0 end, case when is_settled then 160 + h2 % 999 end,
    case when is_settled then 30 end, case when is_settled then 0 end, case when is_settled then 363 end, case when is_settled then 0 end,
    case when is_settled then 'measured' end, case when is_settled then 'upstream-' || (h3 / 50 % 2) end, case when is_settled then 1 end,
    '{"user":"user-' || ${USER} || '","tags":{"team":"team-' || (h1 % 50) || '"},"conversation":"conversation-' || (r / 10) || '"}' from u`;

/** The entries of `fillLedger` with `ATTRIBUTED`, in an empty database with all tables. */
export async function fillPostgres(pool: PostgresPool, requests: number, days: number): Promise<void> {
  const spanMs = days * DAY_MS;
  for (let from = 0; from < requests; from += REQUESTS_AT_ONCE) {
    const to = Math.min(requests, from + REQUESTS_AT_ONCE);
    await pool.query(INSERT, [2 * from + 1, 2 * to, END - spanMs, spanMs / requests]);
  }
  await pool.query("update ledger_head set last_id = $1", [2 * requests]);
  await pool.query("vacuum analyze entries");
}
