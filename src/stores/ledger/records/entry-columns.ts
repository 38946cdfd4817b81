import { readAttribution, writeAttribution } from "../../../money/attribution.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { PremiumUse, Provenance } from "../../../money/usage.ts";

/** A column: its type in PostgreSQL, and its value when it is read. */
interface Column<Value> {
  readonly type: "text" | "bigint" | "integer";
  readonly value?: Value;
}

const text = <Value extends string | null = string>(): Column<Value> => ({ type: "text" });
const integer: Column<number> = { type: "bigint" };

/**
 * The columns of `entries` besides the id. Columns of other kinds of entries are null. Amounts, whose names end with `_nanos`, may exceed the
 * exact range of a JavaScript number: they are read as text.
 */
const COLUMNS = {
  account_id: text(),
  kind: text<Entry["kind"]>(),
  amount_nanos: integer,
  at_ms: integer,
  actor: text(),
  reason: text(),
  reference: text(),
  request_id: text(),
  hold_id: integer,
  key_id: text(),
  model: text(),
  price_version: text(),
  uncharged_nanos: integer,
  prompt_tokens: integer,
  cached_tokens: integer,
  cache_write_tokens: integer,
  completion_tokens: integer,
  reasoning_tokens: integer,
  provenance: text<Provenance>(),
  upstream: text(),
  upstream_model: text<string | null>(),
  cost_version: text<string | null>(),
  attempts: { type: "integer" } as Column<number>,
  failed_attempts: text<string | null>(),
  attribution: text<string | null>(),
  upstream_cost_nanos: integer,
  premium: text<string | null>(),
};

type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];

/** The columns for a `select` in either database, which `entryFromRow` reads. */
export const ENTRY_COLUMNS = ["id", ...NAMES.map((name) => (name.endsWith("_nanos") ? `cast(${name} as text) as ${name}` : name))].join(
  ", ",
);

/** The columns as PostgreSQL reads them from JSON, without the id of the hold: their names with types, and their names alone. */
const SENT = NAMES.filter((name) => name !== "hold_id");
export const SENT_COLUMNS = SENT.map((name) => `${name} ${COLUMNS[name].type}`).join(", ");
export const SENT_NAMES = SENT.join(", ");

/** A row of `entries`, with amounts as text. */
export type EntryRow = { readonly id: number } & {
  readonly [Each in Name]: Each extends `${string}_nanos` ? string : NonNullable<(typeof COLUMNS)[Each]["value"]> | NullIn<Each>;
};
type NullIn<Each extends Name> = null extends (typeof COLUMNS)[Each]["value"] ? null : never;

const HEAD = ["id", "account_id", "kind", "amount_nanos", "at_ms", "actor", "reason"] as const;
const REQUEST = [...HEAD, "request_id", "key_id", "model", "price_version", "attribution"] as const;
const CREDIT = [...HEAD, "reference"] as const;
const END = [...REQUEST, "hold_id", "failed_attempts"] as const;
const COUNTS = ["prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens", "reasoning_tokens"] as const;
const SERVED = ["provenance", "upstream", "upstream_model", "cost_version", "attempts", "upstream_cost_nanos", "premium"] as const;

/** The columns that entries of each kind have, in the order of `writeEntry`. */
export const COLUMNS_OF_KIND: Readonly<Record<Entry["kind"], readonly ("id" | Name)[]>> = {
  grant: CREDIT,
  adjustment: CREDIT,
  hold: REQUEST,
  release: END,
  settle: [...END, "uncharged_nanos", ...COUNTS, ...SERVED],
};

/** Receives the values of an entry, in the order of the columns of its kind: such as an insert statement. */
interface EntryWriter<Result> {
  run(...values: (string | number | bigint | null)[]): Result;
}

/** Writes an entry. Its values are arguments: an array of them would be an allocation for each entry, on the path of requests. */
export function writeEntry<Result>(entry: Entry, writer: EntryWriter<Result>): Result {
  const { id, accountId, kind, atMs, actor, reason } = entry;
  if ("reference" in entry) return writer.run(id, accountId, kind, entry.amountNanos, atMs, actor, reason, entry.reference);
  const { requestId, keyId, model, priceVersion } = entry;
  const attribution = writeAttribution(entry.attribution);
  if (entry.kind === "hold") {
    return writer.run(id, accountId, kind, entry.amountNanos, atMs, actor, reason, requestId, keyId, model, priceVersion, attribution);
  }
  const failed = entry.failedAttempts === undefined ? null : JSON.stringify(entry.failedAttempts);
  if (entry.kind === "release") {
    return writer.run(
      id,
      accountId,
      kind,
      0,
      atMs,
      actor,
      reason,
      requestId,
      keyId,
      model,
      priceVersion,
      attribution,
      entry.holdId,
      failed,
    );
  }
  const { usage } = entry;
  return writer.run(
    id,
    accountId,
    kind,
    entry.amountNanos,
    atMs,
    actor,
    reason,
    requestId,
    keyId,
    model,
    priceVersion,
    attribution,
    entry.holdId,
    failed,
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
    entry.upstreamCostNanos ?? null,
    usage.premium ? JSON.stringify(usage.premium) : null,
  );
}

const LIST: EntryWriter<readonly unknown[]> = { run: (...values) => values };

/** The row for JSON, which has no 64-bit integers. */
export function toSentRow(entry: Entry): Record<string, unknown> {
  const values = writeEntry(entry, LIST).map((value) => (typeof value === "bigint" ? String(value) : value));
  return Object.fromEntries(COLUMNS_OF_KIND[entry.kind].map((name, at) => [name, values[at]]));
}

export function entryFromRow(row: EntryRow): Entry {
  const head = { id: row.id, accountId: row.account_id, atMs: row.at_ms, actor: row.actor, reason: row.reason };
  const amountNanos = BigInt(row.amount_nanos);
  if (row.kind === "grant" || row.kind === "adjustment") return { kind: row.kind, ...head, amountNanos, reference: row.reference };
  const attribution = readAttribution(row.attribution);
  const request = { ...head, requestId: row.request_id, keyId: row.key_id, model: row.model, priceVersion: row.price_version, attribution };
  if (row.kind === "hold") return { kind: row.kind, ...request, amountNanos };
  const failed = row.failed_attempts === null ? undefined : { failedAttempts: JSON.parse(row.failed_attempts) as FailedAttempt[] };
  if (row.kind === "release") return { kind: row.kind, ...request, holdId: row.hold_id, ...failed };
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
      ...readPremium(row.premium),
    },
    provenance: row.provenance,
    upstream: row.upstream,
    upstreamModel: row.upstream_model ?? undefined,
    costVersion: row.cost_version ?? undefined,
    upstreamCostNanos: row.upstream_cost_nanos === null ? undefined : BigInt(row.upstream_cost_nanos),
    attempts: row.attempts,
    ...failed,
  };
}

/** Reads the column `premium`. */
export function readPremium(column: string | null): { readonly premium: PremiumUse } | undefined {
  return column === null ? undefined : { premium: JSON.parse(column) as PremiumUse };
}
