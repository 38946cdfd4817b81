import type { Database as SqliteFile } from "bun:sqlite";
import type { Entry } from "../../../money/ledger-entry.ts";
import { noFigures, putCharge, putFailure, type Figures } from "./figures.ts";

/** What an entry that ended a request says of use. */
export interface UsageEvent {
  /** The entry. */
  readonly id: number;
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  /** Empty where none has answered. */
  readonly upstream: string;
  /** To be copied by whoever keeps them. */
  readonly figures: Figures;
}

/** Used for one entry after the other: each is added up before the next one is looked at. */
const figuresOfOne = noFigures();

/** What is to be known of a use in an entry, or undefined where it ends no request. */
export function usageEventOf(entry: Entry): UsageEvent | undefined {
  if (entry.kind !== "settle" && entry.kind !== "release") return undefined;
  const { id, atMs, accountId, keyId, model } = entry;
  if (entry.kind === "settle") putCharge(figuresOfOne, entry);
  else putFailure(figuresOfOne);
  return { id, atMs, accountId, keyId, model, upstream: entry.kind === "settle" ? entry.upstream : "", figures: figuresOfOne };
}

type UseRow = [id: number, atMs: number, accountId: string, keyId: string, model: string, upstream: string, ...figures: number[]];

// Amounts in two parts, because together they may be more than a JavaScript number holds exactly.
const COLUMNS = `id, at_ms, account_id, key_id, model, coalesce(upstream, ''), kind = 'settle', kind = 'release',
  coalesce(prompt_tokens, 0), coalesce(cached_tokens, 0), coalesce(cache_write_tokens, 0), coalesce(completion_tokens, 0),
  coalesce(reasoning_tokens, 0), amount_nanos / 1000000000, amount_nanos % 1000000000,
  coalesce(uncharged_nanos, 0) / 1000000000, coalesce(uncharged_nanos, 0) % 1000000000`;

/** The uses in the entries behind `afterId`, up to `lastId`. */
export function readUsageEvents(file: SqliteFile, afterId: number, lastId: number): UsageEvent[] {
  const sql = `select ${COLUMNS} from entries not indexed where id > ? and id <= ? and kind in ('settle', 'release')`;
  return file
    .query<unknown, [number, number]>(sql)
    .values(afterId, lastId)
    .map((row) => fromRow(row as UseRow));
}

function fromRow([id, atMs, accountId, keyId, model, upstream, ...figures]: UseRow): UsageEvent {
  return { id, atMs, accountId, keyId, model, upstream, figures: new Float64Array(figures) };
}
