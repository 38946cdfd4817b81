import type { Database as SqliteFile } from "bun:sqlite";
import { readAttribution, type Attribution } from "../../../money/attribution.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { noFigures, putCharge, putFailure, type Figures } from "./figures.ts";

/** The usage in an entry that closed a request. */
export interface UsageEvent {
  /** The id of the entry. */
  readonly id: number;
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  /** Empty if no upstream answered. */
  readonly upstream: string;
  readonly attribution: Attribution | undefined;
  /** Reused for the next event: copy it to keep it. */
  readonly figures: Figures;
}

/** Reused for each entry: an event is summed before the next one is made. */
const figuresOfOne = noFigures();

/** The usage in an entry, or undefined if it closes no request. */
export function usageEventOf(entry: Entry): UsageEvent | undefined {
  if (entry.kind !== "settle" && entry.kind !== "release") return undefined;
  const { id, atMs, accountId, keyId, model, attribution } = entry;
  if (entry.kind === "settle") putCharge(figuresOfOne, entry);
  else putFailure(figuresOfOne);
  const upstream = entry.kind === "settle" ? entry.upstream : "";
  return { id, atMs, accountId, keyId, model, upstream, attribution, figures: figuresOfOne };
}

type UseRow = [
  id: number,
  atMs: number,
  accountId: string,
  keyId: string,
  model: string,
  upstream: string,
  attribution: string | null,
  ...figures: number[],
];

// Amounts are split into dollars and nanos, because a total may exceed the exact range of a JavaScript number.
const COLUMNS = `id, at_ms, account_id, key_id, model, coalesce(upstream, ''), attribution, kind = 'settle', kind = 'release',
  coalesce(prompt_tokens, 0), coalesce(cached_tokens, 0), coalesce(cache_write_tokens, 0), coalesce(completion_tokens, 0),
  coalesce(reasoning_tokens, 0), amount_nanos / 1000000000, amount_nanos % 1000000000,
  coalesce(uncharged_nanos, 0) / 1000000000, coalesce(uncharged_nanos, 0) % 1000000000, upstream_cost_nanos is not null,
  coalesce(upstream_cost_nanos, 0) / 1000000000, coalesce(upstream_cost_nanos, 0) % 1000000000,
  iif(upstream_cost_nanos is null, 0, amount_nanos / 1000000000), iif(upstream_cost_nanos is null, 0, amount_nanos % 1000000000)`;

/** The usage in the entries after `afterId`, up to `lastId`. */
export function readUsageEvents(file: SqliteFile, afterId: number, lastId: number): UsageEvent[] {
  const sql = `select ${COLUMNS} from entries not indexed where id > ? and id <= ? and kind in ('settle', 'release')`;
  return file
    .query<unknown, [number, number]>(sql)
    .values(afterId, lastId)
    .map((row) => fromRow(row as UseRow));
}

function fromRow([id, atMs, accountId, keyId, model, upstream, text, ...figures]: UseRow): UsageEvent {
  return { id, atMs, accountId, keyId, model, upstream, attribution: readAttribution(text), figures: new Float64Array(figures) };
}
