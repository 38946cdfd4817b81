import { Database } from "bun:sqlite";
import { join } from "node:path";
import { EmbeddedRequestLogStore } from "../../src/stores/request-log/embedded-request-log-store.ts";
import type { EndedRequest } from "../../src/vocabulary/request-notes.ts";
import { endedRequest } from "../request-log/ended-requests.ts";
import { STORE_OPTIONS } from "../store-options.ts";
import { dice } from "./dice.ts";

const DAY_MS = 86_400_000;
/** As many as are written to the log at once. */
const AT_ONCE = 2000;

export interface Past {
  /** Of a gateway that has made it, and has ended. */
  readonly dataFolder: string;
  readonly requests: number;
  readonly days: number;
  readonly endMs: number;
  readonly keys: readonly { readonly id: string; readonly account: string }[];
  readonly models: readonly string[];
}

/** A request that was never made. */
interface Sketch {
  readonly id: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly account: string;
  readonly model: string;
  readonly isStream: boolean;
  readonly code: string | undefined;
  readonly durationMs: number;
  readonly firstTokenMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costNanos: number;
}

/** Puts requests of many days into the ledger and the request log, as if they had been answered then. */
export async function fillStores(past: Past): Promise<void> {
  const ledger = new LedgerFile(join(past.dataFolder, "tollgate.db"));
  let nowMs = past.endMs - past.days * DAY_MS;
  const log = new EmbeddedRequestLogStore({
    ...STORE_OPTIONS.requestLog,
    folder: join(past.dataFolder, "requests"),
    days: past.days + 1,
    maxBytes: 1024 ** 4,
    nowMs: () => nowMs,
    uptimeMs: () => nowMs,
  });
  const roll = dice(7);
  for (let from = 0; from < past.requests; from += AT_ONCE) {
    const sketches = Array.from({ length: Math.min(AT_ONCE, past.requests - from) }, (_, at) => sketch(from + at, past, roll));
    ledger.add(sketches);
    for (const one of sketches) {
      // A day of the log is written when its time has come.
      if (Math.floor(nowMs / DAY_MS) !== Math.floor(one.atMs / DAY_MS)) await log.list({}, undefined, "older", 0);
      nowMs = one.atMs;
      log.note(ended(one));
    }
    await log.list({}, undefined, "older", 0);
  }
  await log.close();
  ledger.close();
}

function sketch(at: number, { requests, days, endMs, keys, models }: Past, roll: () => number): Sketch {
  const spanMs = days * DAY_MS;
  const atMs = Math.floor(endMs - spanMs + byDay(at / requests, days) * spanMs);
  // Few have most of the traffic, as everywhere.
  const key = keys[Math.floor(keys.length * roll() ** 2)]!;
  const slowness = Math.exp(roll() + roll() + roll() - 1.5);
  const chance = roll();
  const [promptTokens, completionTokens] = [Math.floor(200 + 3000 * roll() ** 2), Math.floor(20 + 900 * roll() ** 2)];
  return {
    id: `req_${Bun.randomUUIDv7("hex", atMs - 1000)}`,
    atMs,
    keyId: key.id,
    account: key.account,
    model: models[Math.floor(models.length * roll() ** 2)]!,
    isStream: roll() < 0.7,
    code: chance < 0.012 ? "rate_limit_exceeded" : chance < 0.018 ? "insufficient_credits" : chance < 0.022 ? "upstream_error" : undefined,
    durationMs: 900 * slowness + completionTokens * 4,
    firstTokenMs: 280 * slowness,
    promptTokens,
    completionTokens,
    costNanos: promptTokens * 400 + completionTokens * 1600,
  };
}

/** Nights are quiet: the clock of the traffic runs fast in them. */
function byDay(share: number, days: number): number {
  return share - (0.8 * Math.sin(2 * Math.PI * share * days)) / (2 * Math.PI * days);
}

const STATUSES: Readonly<Record<string, number>> = { rate_limit_exceeded: 429, insufficient_credits: 402, upstream_error: 502 };

function ended(one: Sketch): EndedRequest {
  const { charge, attempts } = endedRequest().notes;
  const { keyId, account: accountId, model, isStream, code, durationMs, firstTokenMs } = one;
  const refused = {
    charge: undefined,
    attempts: [],
    code: code as "rate_limit_exceeded",
    begunAt: undefined,
    repliedAt: undefined,
    end: undefined,
  };
  const answered = { charge: charge!, attempts, begunAt: 5000 + firstTokenMs, repliedAt: 5000 + firstTokenMs, end: "complete" as const };
  const request = endedRequest({
    endedAtMs: one.atMs,
    status: code === undefined ? 200 : STATUSES[code]!,
    notes: { keyId, accountId, askedFor: model, model, isStream, ...(code === undefined ? answered : refused) },
  });
  return { ...request, requestId: one.id, startedAt: 5000, endedAt: 5000 + (code === undefined ? durationMs : 3) };
}

/** The ledger's file, written past the ledger: quickly, and without the care that money needs. */
class LedgerFile {
  readonly #file: Database;
  #id: number;

  constructor(path: string) {
    this.#file = new Database(path);
    for (const pragma of ["journal_mode = off", "synchronous = off"]) this.#file.run(`pragma ${pragma}`);
    this.#id = this.#file.query<{ last: number | null }, []>("select max(id) as last from entries").get()!.last ?? 0;
  }

  add(sketches: readonly Sketch[]): void {
    const insert = this.#file
      .prepare(`insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model,
      price_version, hold_id, uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens,
      provenance, upstream, attempts) values (?, ?, ?, ?, ?, 'key', ?, ?, ?, ?, 'version', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#file.transaction(() => {
      for (const one of sketches.filter(({ code }) => code === undefined || code === "upstream_error")) {
        const hold = ++this.#id;
        const nothing = [null, null, null, null, null, null, null, null, null];
        const used = [0, one.promptTokens, Math.floor(one.promptTokens / 5), 0, one.completionTokens, 0, "measured", "openai", 1];
        const about = [one.id, one.keyId, one.model] as const;
        insert.run(hold, one.account, "hold", one.costNanos, one.atMs - 500, "complete", ...about, null, ...nothing);
        const end =
          one.code === undefined
            ? (["settle", one.costNanos, "complete", used] as const)
            : (["release", 0, "upstream_error", nothing] as const);
        insert.run(++this.#id, one.account, end[0], end[1], one.atMs, end[2], ...about, hold, ...end[3]);
      }
    })();
  }

  /** Balances are of no concern here: they need not be added up at the start. */
  close(): void {
    this.#file.run(`insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ${this.#id}, ${this.#id + 1})`);
    this.#file.run("pragma journal_mode = wal");
    this.#file.close();
  }
}
