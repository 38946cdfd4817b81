import { Database } from "bun:sqlite";
import { join } from "node:path";
import { toPrice } from "../../src/money/declared-price.ts";
import { costOf, type Price } from "../../src/money/price.ts";
import type { Usage } from "../../src/money/usage.ts";
import { toRow } from "../../src/stores/catalog/price-table.ts";
import { EmbeddedRequestLogStore } from "../../src/stores/request-log/embedded-request-log-store.ts";
import type { Attempt } from "../../src/requests/attempt.ts";
import type { EndedRequest } from "../../src/requests/request-notes.ts";
import { endedRequest } from "../request-log/ended-requests.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";

export const DAY_MS = 86_400_000;
/** The batch size of log writes. */
const BATCH_SIZE = 2000;

/** A made-up request in the past. */
export interface PastRequest {
  readonly atMs: number;
  readonly keyId: string;
  readonly account: string;
  readonly model: string;
  readonly isStream: boolean;
  /** The error code, if the request was rejected or failed. */
  readonly code: keyof typeof STATUSES | undefined;
  readonly durationMs: number;
  readonly firstTokenMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The price by which the request was charged. */
  readonly price: Price;
  readonly upstream: string;
  readonly upstreamModel: string;
  /** An overloaded upstream that was attempted first. */
  readonly failedOverFrom?: string | undefined;
}

/** The price of a model that is declared with these dollars per million tokens. */
export function priceOf(input: number, output: number): Price {
  return toPrice({ input_per_million: input, output_per_million: output }, [], (path, problem) => {
    throw new Error(`${path.join(".")} ${problem}`);
  });
}

interface History {
  /** The data folder of a stopped gateway. */
  readonly dataFolder: string;
  readonly days: number;
  readonly endMs: number;
  /** In chronological order. */
  readonly requests: Iterable<PastRequest>;
  /** Whether credit and spend caps matter. If so, they are recomputed at the next start, which takes a while. */
  readonly countsBalances: boolean;
}

/** Writes past requests into the ledger and the request log, as if they had been served then. */
export async function writeHistory({ dataFolder, days, endMs, requests, countsBalances }: History): Promise<void> {
  const ledger = new LedgerFile(join(dataFolder, "tollgate.db"));
  let nowMs = endMs - days * DAY_MS;
  const log = new EmbeddedRequestLogStore({
    ...STORE_OPTIONS.requestLog,
    folder: join(dataFolder, "requests"),
    days: days + 1,
    maxBytes: 1024 ** 4,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
  });
  for (const some of inGroups(requests, BATCH_SIZE)) {
    const named = some.map((one) => ({ ...one, id: `req_${Bun.randomUUIDv7("hex", one.atMs - 1000)}` }));
    ledger.add(named);
    for (const one of named) {
      // Flush before the clock moves to the next day: the log writes one file per day.
      if (Math.floor(nowMs / DAY_MS) !== Math.floor(one.atMs / DAY_MS)) await log.list({}, undefined, "older", 0);
      nowMs = one.atMs;
      log.note(ended(one));
    }
    await log.list({}, undefined, "older", 0);
  }
  await log.close();
  ledger.close(countsBalances);
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  yield group;
}

const STATUSES = { rate_limit_exceeded: 429, insufficient_credits: 402, model_not_allowed: 403, upstream_error: 502 } as const;

interface NamedRequest extends PastRequest {
  readonly id: string;
}

/** The gateway's clock starts at an arbitrary time. */
const STARTED = 5000;

function ended(one: NamedRequest): EndedRequest {
  const { keyId, account: accountId, model, isStream, code, durationMs, firstTokenMs } = one;
  const begunAt = STARTED + firstTokenMs;
  const refused = { charge: undefined, attempts: [], code, begunAt: undefined, repliedAt: undefined, end: undefined };
  const answered = { charge: chargeOf(one), attempts: attemptsOf(one), begunAt, repliedAt: begunAt, end: "complete" as const };
  const request = endedRequest({
    endedAtMs: one.atMs,
    status: code === undefined ? 200 : STATUSES[code],
    notes: { keyId, accountId, requestedModel: model, model, isStream, ...(code === undefined ? answered : refused) },
  });
  return { ...request, requestId: one.id, startedAt: STARTED, endedAt: STARTED + (code === undefined ? durationMs : 3) };
}

function chargeOf(one: NamedRequest): EndedRequest["notes"]["charge"] {
  const { id: requestId, keyId, account: accountId, model, upstream, upstreamModel, price } = one;
  const sample = endedRequest().notes.charge!;
  const usage = usageOf(one);
  const charged = { priceVersion: price.version, amountNanos: costOf(usage, price), usage, attempts: attemptsOf(one).length };
  return { ...sample, requestId, keyId, accountId, model, upstream, upstreamModel, ...charged };
}

function usageOf({ promptTokens, completionTokens }: PastRequest): Usage {
  return { promptTokens, completionTokens, cachedTokens: Math.floor(promptTokens / 5), cacheWriteTokens: 0, reasoningTokens: 0 };
}

function attemptsOf({ upstream, upstreamModel, firstTokenMs, failedOverFrom }: PastRequest): Attempt[] {
  const answer = { upstream, upstreamModel, startedAt: STARTED, durationMs: firstTokenMs, outcome: "answered", detail: undefined } as const;
  if (failedOverFrom === undefined) return [answer];
  const before = {
    ...answer,
    upstream: failedOverFrom,
    durationMs: firstTokenMs / 3,
    outcome: "failed",
    detail: "it returned status 529",
  } as const;
  return [before, { ...answer, startedAt: STARTED + firstTokenMs / 3, durationMs: (firstTokenMs * 2) / 3 }];
}

/** Writes the ledger's database directly, which is fast but not durable. */
class LedgerFile {
  readonly #file: Database;
  #id: number;

  constructor(path: string) {
    this.#file = new Database(path);
    for (const pragma of ["journal_mode = off", "synchronous = off"]) this.#file.run(`pragma ${pragma}`);
    this.#id = this.#file.query<{ last: number | null }, []>("select max(id) as last from entries").get()!.last ?? 0;
  }

  add(requests: readonly NamedRequest[]): void {
    const insert = this.#file
      .prepare(`insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model,
      price_version, hold_id, uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens,
      provenance, upstream, attempts) values (?, ?, ?, ?, ?, 'key', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#file.transaction(() => {
      for (const one of requests.filter(({ code }) => code === undefined || code === "upstream_error")) {
        const hold = ++this.#id;
        const nothing = [null, null, null, null, null, null, null, null, null];
        const usage = usageOf(one);
        const { promptTokens, cachedTokens, completionTokens } = usage;
        const used = [0, promptTokens, cachedTokens, 0, completionTokens, 0, "measured", one.upstream, attemptsOf(one).length];
        const about = [one.id, one.keyId, one.model, one.price.version] as const;
        const cost = costOf(usage, one.price);
        insert.run(hold, one.account, "hold", cost, one.atMs - 500, "complete", ...about, null, ...nothing);
        const end =
          one.code === undefined ? (["settle", cost, "complete", used] as const) : (["release", 0, "upstream_error", nothing] as const);
        insert.run(++this.#id, one.account, end[0], end[1], one.atMs, end[2], ...about, hold, ...end[3]);
      }
    })();
    // An open statement keeps the file open after close(), and the next gateway refuses to start.
    insert.finalize();
    for (const price of new Set(requests.map((one) => one.price))) this.#record(price);
  }

  /** The audit expects the price of each entry. */
  #record(price: Price): void {
    const row = toRow(price);
    const insert = `insert or ignore into prices (${Object.keys(row).join()}) values (${Object.keys(row).fill("?").join()})`;
    this.#file.run(insert, Object.values(row));
  }

  close(countsBalances: boolean): void {
    const ends = "from entries where kind = 'settle'";
    this.#file.run(`insert or replace into key_uses select key_id, max(at_ms) ${ends} group by key_id`);
    this.#file.run(`insert or replace into model_uses select model, key_id, max(at_ms), count(*) ${ends} group by model, key_id`);
    const last = [this.#id, this.#id + 1] as const;
    if (!countsBalances) this.#file.run("insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ?, ?)", [...last]);
    this.#file.run("pragma journal_mode = wal");
    this.#file.close();
  }
}
