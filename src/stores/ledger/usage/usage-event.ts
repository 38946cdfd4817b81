import type { Database as SqliteFile } from "bun:sqlite";
import { readAttribution, type Attribution } from "../../../money/attribution.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
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

/**
 * SQL for the figures of an entry, in their order. Amounts are split into dollars and nanos, because a total may exceed the exact range of a
 * JavaScript number.
 */
const FIGURES = [
  flag("kind = 'settle'"),
  flag("kind = 'release'"),
  ...["prompt", "cached", "cache_write", "completion", "reasoning"].map((kind) => `coalesce(${kind}_tokens, 0)`),
  ...amount("amount_nanos"),
  ...amount("coalesce(uncharged_nanos, 0)"),
  flag("upstream_cost_nanos is not null"),
  ...amount("coalesce(upstream_cost_nanos, 0)"),
  ...amount("case when upstream_cost_nanos is null then 0 else amount_nanos end"),
];

function flag(condition: string): string {
  return `case when ${condition} then 1 else 0 end`;
}

function amount(nanos: string): string[] {
  return [`(${nanos}) / 1000000000`, `(${nanos}) % 1000000000`];
}

type EventRow = [
  id: number,
  atMs: number,
  accountId: string,
  keyId: string,
  model: string,
  upstream: string,
  attribution: string | null,
  ...figures: number[],
];

const COLUMNS = "id, at_ms, account_id, key_id, model, coalesce(upstream, '') as upstream, attribution";
const IS_EVENT = "kind in ('settle', 'release')";

/** The usage in the entries after `afterId`, up to `lastId`. */
export function readUsageEvents(file: SqliteFile, afterId: number, lastId: number): UsageEvent[] {
  const sql = `select ${COLUMNS}, ${FIGURES.join(", ")} from entries not indexed where id > ? and id <= ? and ${IS_EVENT}`;
  return file
    .query<unknown, [number, number]>(sql)
    .values(afterId, lastId)
    .map((row) => fromRow(row as EventRow));
}

/** The same in PostgreSQL, of one account or of all. */
export async function readPostgresEvents(
  connection: PostgresConnection,
  afterId: number,
  lastId: number,
  accountId?: string,
): Promise<UsageEvent[]> {
  // Figures in an array: a row with many columns takes several times as long.
  const sql = `select ${COLUMNS}, array[${FIGURES.join(", ")}]::float8[] as figures from entries
    where id > $1 and id <= $2 and ${IS_EVENT} and ($3::text is null or account_id = $3)`;
  interface Row {
    readonly id: bigint;
    readonly at_ms: bigint;
    readonly account_id: string;
    readonly key_id: string;
    readonly model: string;
    readonly upstream: string;
    readonly attribution: string | null;
    readonly figures: readonly number[];
  }
  const rows = await connection.query<Row>(sql, [afterId, lastId, accountId ?? null]);
  const events = rows.map((row): UsageEvent => {
    const figures = noFigures();
    // Faster than `new Float64Array(list)`, which iterates.
    for (let at = 0; at < figures.length; at++) figures[at] = row.figures[at]!;
    return {
      id: Number(row.id),
      atMs: Number(row.at_ms),
      accountId: row.account_id,
      keyId: row.key_id,
      model: row.model,
      upstream: row.upstream,
      attribution: readAttribution(row.attribution),
      figures,
    };
  });
  // Not sorted by the statement: with `order by`, the planner may read all entries in their order.
  return events.toSorted((one, other) => one.id - other.id);
}

function fromRow([id, atMs, accountId, keyId, model, upstream, text, ...figures]: EventRow): UsageEvent {
  return { id, atMs, accountId, keyId, model, upstream, attribution: readAttribution(text), figures: new Float64Array(figures) };
}
