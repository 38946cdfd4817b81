import type { Database as SqliteFile, Statement } from "bun:sqlite";
import { readAttribution, writeAttribution } from "../../../money/attribution.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry, ListedEntry } from "../../../money/ledger-entry.ts";
import type { Provenance } from "../../../money/usage.ts";
import type { Charge } from "../books/past-period-spending.ts";
import { EntryNumbers } from "./entry-numbers.ts";
import type { EntriesOfEndUser, RequestRecord } from "../ledger-record-store.ts";

const NANOS_PER_DOLLAR = 1_000_000_000n;

/** Ids of one slice of a scan, which blocks the event loop for one or two milliseconds. */
const SCANNED_AT_ONCE = 2000;

/** Amounts are read as text, because they may exceed the exact range of a JavaScript number. */
const COLUMNS = `id, account_id, kind, cast(amount_nanos as text) as amount_nanos, at_ms, actor, reason, reference, request_id, hold_id,
  key_id, model, price_version, cast(uncharged_nanos as text) as uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens,
  completion_tokens, reasoning_tokens, provenance, upstream, upstream_model, cost_version, attempts, failed_attempts,
  attribution, cast(upstream_cost_nanos as text) as upstream_cost_nanos`;

/** A row of `entries`, with amounts as text. Columns of other kinds of entries are null. */
export interface EntryRow {
  id: number;
  account_id: string;
  kind: Entry["kind"];
  amount_nanos: string;
  at_ms: number;
  actor: string;
  reason: string;
  reference: string;
  request_id: string;
  hold_id: number;
  key_id: string;
  model: string;
  price_version: string;
  uncharged_nanos: string;
  prompt_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  provenance: Provenance;
  upstream: string;
  upstream_model: string | null;
  cost_version: string | null;
  attempts: number;
  failed_attempts: string | null;
  attribution: string | null;
  upstream_cost_nanos: string | null;
}

/** The table `entries`. Statements are prepared once, because every request writes two rows. */
export class EntryTable {
  readonly numbers: EntryNumbers;
  readonly #file: SqliteFile;
  readonly #insertHold: Statement;
  readonly #insertSettle: Statement;
  readonly #insertRelease: Statement;
  readonly #insertCredit: Statement;
  readonly #findEnd: Statement<unknown, [string]>;

  constructor(file: SqliteFile) {
    this.numbers = new EntryNumbers(file);
    this.#file = file;
    const head = "id, account_id, kind, amount_nanos, at_ms, actor, reason";
    const request = `${head}, request_id, key_id, model, price_version, attribution`;
    // `query`, not `prepare`: closing the file finalizes its statements, while a prepared statement would keep the file open.
    this.#insertCredit = file.query(insertInto(`${head}, reference`));
    this.#insertHold = file.query(insertInto(request));
    this.#insertRelease = file.query(insertInto(`${request}, hold_id, failed_attempts`));
    this.#insertSettle = file.query(
      insertInto(`${request}, hold_id, uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens,
        reasoning_tokens, provenance, upstream, upstream_model, cost_version, attempts, failed_attempts, upstream_cost_nanos`),
    );
    this.#findEnd = file.query("select 1 from entries where request_id = ? and kind in ('settle', 'release')");
  }

  insert(entry: Entry): void {
    switch (entry.kind) {
      case "grant":
      case "adjustment":
        return this.#creditRow(entry);
      case "hold":
        return this.#holdRow(entry);
      case "settle":
        return this.#settleRow(entry);
      case "release":
        return this.#releaseRow(entry);
    }
  }

  get lastId(): number {
    return this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  }

  get highestEndedRequestId(): string {
    const sql = "select max(request_id) as id from entries where kind in ('settle', 'release')";
    return this.#file.query<{ id: string | null }, []>(sql).get()?.id ?? "";
  }

  after(id: number, limit: number): Entry[] {
    return this.#file
      .query<EntryRow, [number, number]>(`select ${COLUMNS} from entries where id > ? order by id limit ?`)
      .all(id, limit)
      .map(entryFromRow);
  }

  /** The charges of each key from one moment to before another. Dollars and nanos are summed separately, so that neither sum overflows. */
  chargesBetween(fromMs: number, toMs: number): Charge[] {
    const sql = `select account_id, key_id, cast(sum(amount_nanos / ${NANOS_PER_DOLLAR}) as text) as dollars,
      cast(sum(amount_nanos % ${NANOS_PER_DOLLAR}) as text) as nanos from entries not indexed
      where kind = 'settle' and at_ms >= ? and at_ms < ? group by 1, 2`;
    const rows = this.#file.query<Record<"account_id" | "key_id" | "dollars" | "nanos", string>, [number, number]>(sql).all(fromMs, toMs);
    return rows.map(({ account_id: accountId, key_id: keyId, dollars, nanos }) => {
      return { accountId, keyId, amountNanos: BigInt(dollars) * NANOS_PER_DOLLAR + BigInt(nanos) };
    });
  }

  /** The entries of an account without holds: the account index does not include holds, and each hold is shown with its closing entry. */
  ofAccount(accountId: string, beforeId: number, limit: number): ListedEntry[] {
    const sql = `select ${COLUMNS} from entries where account_id = ? and kind <> 'hold' and id < ? order by id desc limit ?`;
    const rows = this.#file.query<EntryRow, [string, number, number]>(sql).all(accountId, beforeId, limit);
    return rows.map(entryFromRow) as ListedEntry[];
  }

  /**
   * Scans a slice of ids: there is no index by end user, because maintaining it would cost each request more than the scan costs an export.
   */
  ofEndUser(accountId: string, users: readonly string[], afterId: number): EntriesOfEndUser {
    const toId = Math.min(afterId + SCANNED_AT_ONCE, this.lastId);
    const sql = `select ${COLUMNS} from entries not indexed where id > ? and id <= ? and account_id = ?
      and attribution ->> 'user' in (${users.map(() => "?").join(", ")}) order by id`;
    const rows = this.#file.query<EntryRow, (string | number)[]>(sql).all(afterId, toId, accountId, ...users);
    return { entries: rows.map(entryFromRow), toId: toId > afterId ? toId : undefined };
  }

  findCredit(accountId: string, reference: string): CreditEntry | undefined {
    const sql = `select ${COLUMNS} from entries where account_id = ? and reference = ?`;
    const row = this.#file.query<EntryRow, [string, string]>(sql).get(accountId, reference);
    return row ? (entryFromRow(row) as CreditEntry) : undefined;
  }

  hasEnd(requestId: string): boolean {
    return this.#findEnd.get(requestId) !== null;
  }

  findClosed(requestId: string): RequestRecord | undefined {
    const closing = `select ${COLUMNS} from entries where request_id = ? and kind in ('settle', 'release')`;
    const row = this.#file.query<EntryRow, [string]>(closing).get(requestId);
    const hold = row && this.#file.query<EntryRow, [number]>(`select ${COLUMNS} from entries where id = ?`).get(row.hold_id);
    return hold ? { hold: entryFromRow(hold) as HoldEntry, closing: entryFromRow(row) as SettleEntry | ReleaseEntry } : undefined;
  }

  #creditRow({ id, accountId, kind, amountNanos, atMs, actor, reason, reference }: CreditEntry): void {
    this.#insertCredit.run(id, accountId, kind, amountNanos, atMs, actor, reason, reference);
  }

  #holdRow(entry: HoldEntry): void {
    const { id, accountId, amountNanos, atMs, actor, reason, requestId, keyId, model, priceVersion } = entry;
    const attribution = writeAttribution(entry.attribution);
    this.#insertHold.run(id, accountId, "hold", amountNanos, atMs, actor, reason, requestId, keyId, model, priceVersion, attribution);
  }

  #releaseRow(entry: ReleaseEntry): void {
    const { id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, holdId, failedAttempts } = entry;
    const request = [requestId, keyId, model, priceVersion, writeAttribution(entry.attribution), holdId] as const;
    this.#insertRelease.run(id, accountId, "release", 0, atMs, actor, reason, ...request, toText(failedAttempts));
  }

  #settleRow(entry: SettleEntry): void {
    const { usage } = entry;
    this.#insertSettle.run(
      entry.id,
      entry.accountId,
      "settle",
      entry.amountNanos,
      entry.atMs,
      entry.actor,
      entry.reason,
      entry.requestId,
      entry.keyId,
      entry.model,
      entry.priceVersion,
      writeAttribution(entry.attribution),
      entry.holdId,
      entry.unchargedNanos,
      usage.promptTokens,
      usage.cachedTokens,
      usage.cacheWriteTokens,
      usage.completionTokens,
      usage.reasoningTokens,
      entry.provenance,
      entry.upstream,
      entry.upstreamModel ?? null,
      entry.costVersion ?? null,
      entry.attempts,
      toText(entry.failedAttempts),
      entry.upstreamCostNanos ?? null,
    );
  }
}

function toText(attempts: readonly FailedAttempt[] | undefined): string | null {
  return attempts === undefined ? null : JSON.stringify(attempts);
}

function failedAttemptsIn({ failed_attempts: text }: EntryRow): { failedAttempts: FailedAttempt[] } | undefined {
  return text === null ? undefined : { failedAttempts: JSON.parse(text) as FailedAttempt[] };
}

function insertInto(columns: string): string {
  const places = columns.split(",").map(() => "?");
  return `insert into entries (${columns}) values (${places.join(", ")})`;
}

export function entryFromRow(row: EntryRow): Entry {
  const head = { id: row.id, accountId: row.account_id, atMs: row.at_ms, actor: row.actor, reason: row.reason };
  const amountNanos = BigInt(row.amount_nanos);
  if (row.kind === "grant" || row.kind === "adjustment") return { kind: row.kind, ...head, amountNanos, reference: row.reference };
  const attribution = readAttribution(row.attribution);
  const request = { ...head, requestId: row.request_id, keyId: row.key_id, model: row.model, priceVersion: row.price_version, attribution };
  if (row.kind === "hold") return { kind: row.kind, ...request, amountNanos };
  if (row.kind === "release") return { kind: row.kind, ...request, holdId: row.hold_id, ...failedAttemptsIn(row) };
  return {
    kind: row.kind,
    ...request,
    holdId: row.hold_id,
    amountNanos,
    unchargedNanos: BigInt(row.uncharged_nanos),
    usage: {
      promptTokens: row.prompt_tokens,
      cachedTokens: row.cached_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      completionTokens: row.completion_tokens,
      reasoningTokens: row.reasoning_tokens,
    },
    provenance: row.provenance,
    upstream: row.upstream,
    upstreamModel: row.upstream_model ?? undefined,
    costVersion: row.cost_version ?? undefined,
    upstreamCostNanos: row.upstream_cost_nanos === null ? undefined : BigInt(row.upstream_cost_nanos),
    attempts: row.attempts,
    ...failedAttemptsIn(row),
  };
}
