import { Database } from "bun:sqlite";
import type { SettleEntry } from "../../src/money/ledger-entry.ts";

export const DAY_MS = 86_400_000;
export const END = Date.parse("2027-12-01T00:00:00Z");
/** A year, the leap day included. */
export const YEAR_DAYS = 366;

/** A pseudo-random number that is the same in each run. */
export const scramble = (of: string, by: number): string =>
  `(((${of} * ${by} % 4294967296) / 32768 + (${of} * ${by} % 4294967296)) * 1103515245 % 4294967296 / 65536)`;

/** The account, the key and the attribution of a request, as SQL over its number `r` and its pseudo-random numbers. */
export interface Spread {
  readonly account: string;
  readonly key: string;
  readonly attribution: string;
}

const SPREAD: Spread = { account: "case when h1 % 10 = 0 then 0 else h1 / 10 % 100 end", key: "h2 % 10", attribution: "null" };

/** Each conversation belongs to one end user. */
export const USER = `(${scramble("(r / 10)", 2654435761)} % 10000)`;

/**
 * One account with 10,000 end users, who use one key each; one conversation for every ten requests, each of one end user; and a tag
 * with 50 values.
 */
export const ATTRIBUTED: Spread = {
  account: "0",
  key: `${USER} % 10`,
  attribution: `json_object('user', 'user-' || ${USER}, 'tags', json_object('team', 'team-' || (h1 % 50)), 'conversation', 'conversation-' || (r / 10))`,
};

/**
 * Writes a hold and its end for each request, spread over the year, or the given number of days, before `END`. There are 100 accounts with
 * ten keys each, and the first account has a tenth of all requests; three of 20 models per key; two upstreams. One request in fifty fails.
 * Few requests share a group, so the aggregation saves little.
 */
export function fillLedger(path: string, requests: number, { account, key, attribution } = SPREAD, days = YEAR_DAYS): void {
  const spanMs = days * DAY_MS;
  const file = new Database(path);
  // The database of an interrupted benchmark is not needed again.
  for (const pragma of ["journal_mode = off", "synchronous = off", "cache_size = -500000"]) file.run(`pragma ${pragma}`);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${2 * requests}),
      e as (select i, (i + 1) / 2 as r, i % 2 = 1 as isHold, cast(${END - spanMs} + ((i + 1) / 2 - 1) * ${spanMs / requests} as integer) as at from n),
      h as (select *, ${scramble("r", 2654435761)} as h1, ${scramble("r", 3266489917)} as h2, ${scramble("r", 668265263)} as h3 from e),
      a as (select *, ${account} as account, ${key} as k, h3 % 50 = 0 as isFailure from h),
      u as (select *, not isHold and not isFailure as isSettled from a)
    insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
      uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts,
      attribution)
    select i, 'account-' || account, iif(isHold, 'hold', iif(isFailure, 'release', 'settle')), iif(isHold or isSettled, 220200 + h1, 0), at,
      'key', 'complete', 'req_019a5f3c-77ad-7000-8a51-' || printf('%012d', r), 'key-' || account || '-' || k,
      'model-' || ((account * 7 + k * 3 + h2 / 10 % 3) % 20), 'version', iif(isHold, null, i - 1), iif(isSettled, 0, null),
      iif(isSettled, 160 + h2 % 999, null), iif(isSettled, 30, null), iif(isSettled, 0, null), iif(isSettled, 363, null),
      iif(isSettled, 0, null), iif(isSettled, 'measured', null), iif(isSettled, 'upstream-' || (h3 / 50 % 2), null), iif(isSettled, 1, null), ${attribution} from u`);
  // Balances are not measured here, and need not be computed at startup.
  file.run(`insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ${2 * requests}, ${2 * requests + 1})`);
  file.run("pragma journal_mode = wal");
  file.close();
}

const names = new Map<string, string>();

/** Returns the same string object each time, as in the gateway, where it comes from the key and the catalog. */
function name(text: string): string {
  if (!names.has(text)) names.set(text, text);
  return names.get(text)!;
}

/** A settled request, in traffic of a thousand requests per second, with accounts and their keys in turn. */
export function settled(id: number, accounts: number, keys: number): SettleEntry {
  const account = id % accounts;
  const key = Math.floor(id / accounts) % keys;
  return {
    id,
    kind: "settle",
    accountId: name(`account-${account}`),
    atMs: END + id,
    actor: "key",
    reason: "complete",
    requestId: `req-${id}`,
    keyId: name(`key-${account}-${key}`),
    model: name(`model-${(account + key + (Math.floor(id / accounts / keys) % 3)) % 20}`),
    priceVersion: "version",
    holdId: id - 1,
    amountNanos: 220_200n + BigInt(id % 1000),
    unchargedNanos: 0n,
    usage: { promptTokens: 160, cachedTokens: 30, cacheWriteTokens: 0, completionTokens: 363, reasoningTokens: 0 },
    provenance: "measured",
    upstream: "upstream",
    upstreamModel: "model",
    attempts: 1,
  };
}
