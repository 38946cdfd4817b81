import type { SQLQueryBindings } from "bun:sqlite";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { firstRowAt, latestDayOf } from "../log-day.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import { CHUNK_ROWS, COLUMN_NAMES, columnTypeOf, FIELD_NAMES, toRow, uuidOf } from "../request-rows.ts";
import { isMissingTable } from "./log-partitions.ts";

/** Rows of one day that are written together, by column: for PostgreSQL, arrays are less work than rows. */
export class RowBatch {
  readonly day: string;
  /** The batch's number in this process. A batch that is sent again has the same number. */
  readonly number: number;
  /** In the order of `COLUMN_NAMES`, without the row number. */
  readonly columns: readonly SQLQueryBindings[][] = COLUMN_NAMES.slice(1).map(() => []);
  readonly #found: readonly Set<string>[] = FIELD_NAMES.map(() => new Set());
  #length = 0;
  #fromMs = Infinity;
  #toMs = -Infinity;
  #firstId = "~";
  #lastId = "";

  constructor(day: string, number: number) {
    this.day = day;
    this.number = number;
  }

  get length(): number {
    return this.#length;
  }

  /** The span of the times and of the ids in the batch. */
  get span(): { fromMs: number; toMs: number; firstId: string; lastId: string } {
    return { fromMs: this.#fromMs, toMs: this.#toMs, firstId: uuidOf(this.#firstId)!, lastId: uuidOf(this.#lastId)! };
  }

  /** The values of the fields that can be filtered, without duplicates: the field names and their values, as parallel lists. */
  get found(): [fields: string[], values: string[]] {
    const values = this.#found.map((known) => [...known]);
    return [values.flatMap((each, at) => each.map(() => FIELD_NAMES[at]!)), values.flat()];
  }

  add(record: LoggedRequest): void {
    const row = toRow(0, withStorableDetails(record));
    for (let at = 0; at < this.columns.length; at++) {
      const value = row[at + 1]!;
      this.columns[at]!.push(typeof value === "string" ? storable(value) : value);
    }
    for (let at = 0; at < FIELD_NAMES.length; at++) {
      const value = record[FIELD_NAMES[at]!];
      if (value !== null) this.#found[at]!.add(storable(String(value)));
    }
    const { endedAtMs, requestId } = record;
    if (endedAtMs < this.#fromMs) this.#fromMs = endedAtMs;
    if (endedAtMs > this.#toMs) this.#toMs = endedAtMs;
    if (requestId < this.#firstId) this.#firstId = requestId;
    if (requestId > this.#lastId) this.#lastId = requestId;
    this.#length++;
  }
}

/** Replaces characters in attempts that PostgreSQL stores as JSON escapes but rejects when it reads them. */
function withStorableDetails(record: LoggedRequest): LoggedRequest {
  const { attempts } = record;
  if (attempts.every(({ detail }) => detail === null || storable(detail) === detail)) return record;
  return { ...record, attempts: attempts.map((attempt) => ({ ...attempt, detail: attempt.detail && storable(attempt.detail) })) };
}

/** The result of a write. `later_day`: other processes have already begun the next day, and the batch belongs to that day. */
type WriteOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "missing_day" }
  | { readonly kind: "later_day"; readonly newest: string };

interface OutcomeRow {
  readonly is_current: boolean;
  readonly is_new: boolean;
  readonly was_written: boolean;
  readonly newest: string;
}

/** Writes a batch once, however often it is sent. Throws `StorageUnavailable`; the batch may still be written then. */
export async function writeBatch(pool: PostgresPool, writer: string, batch: RowBatch): Promise<WriteOutcome> {
  const { fromMs, toMs, firstId, lastId } = batch.span;
  const parameters = [
    batch.day,
    latestDayOf(toMs),
    writer,
    batch.number,
    batch.length,
    firstRowAt(fromMs),
    fromMs,
    toMs,
    firstId,
    lastId,
    ...batch.found,
    ...batch.columns,
  ];
  try {
    const [row] = await pool.query<OutcomeRow>(statementOf(batch.day), parameters);
    return outcomeOf(row!);
  } catch (error) {
    if (isMissingTable(error)) return { kind: "missing_day" };
    throw error;
  }
}

function outcomeOf({ is_current: isCurrent, is_new: isNew, was_written: wasWritten, newest }: OutcomeRow): WriteOutcome {
  if (isNew || wasWritten) return { kind: "written" };
  return isCurrent ? { kind: "missing_day" } : { kind: "later_day", newest };
}

const FIRST_COLUMN = 13;
const UNNESTED = COLUMN_NAMES.slice(1).map((name, at) => `$${FIRST_COLUMN + at}::${columnTypeOf(name)}[]`);

/**
 * One statement, so that a process that stalls holds no lock. The row of the head is locked from the first step to the commit: rows become
 * visible in the order of their numbers, whichever process writes them, so a reader who pages forward misses none. The commit does not wait
 * for the disk: the log is best effort.
 */
function statementOf(day: string): string {
  const { requests, chunks, found } = POSTGRES.tablesOf(day);
  const columns = COLUMN_NAMES.slice(1).join(", ");
  return `with head as (
      update request_log_head set newest = greatest(newest, $1::text) where not (newest > $1::text and newest = $2::text) returning 1
    ), fence as (
      insert into request_log_writers (day, writer, batch) select day, $3::text, $4::bigint from head, request_log_days where day = $1::text
        on conflict (day, writer) do update set batch = excluded.batch where request_log_writers.batch < excluded.batch returning 1
    ), numbered as (
      update request_log_days set last_row = coalesce(last_row, $6::bigint - 1) + $5::bigint,
        summed_row = coalesce(summed_row, $6::bigint - 1) from fence where day = $1::text
        returning last_row - $5::bigint as base
    ), touched as (
      select (base + 1) / ${CHUNK_ROWS} as chunk from numbered union select (base + $5::bigint) / ${CHUNK_ROWS} from numbered
    ), written as (
      insert into ${requests} (row, ${columns}) select base + place, ${columns}
        from numbered, unnest(${UNNESTED.join(", ")}) with ordinality as given (${columns}, place)
    ), spans as (
      insert into ${chunks} as known select chunk, $7::bigint, $8::bigint, $9::uuid, $10::uuid from touched
        on conflict (chunk) do update set from_ms = least(known.from_ms, excluded.from_ms), to_ms = greatest(known.to_ms, excluded.to_ms),
          first_id = least(known.first_id, excluded.first_id), last_id = greatest(known.last_id, excluded.last_id)
    ), indexed as (
      insert into ${found} select field, value, chunk from touched, unnest($11::text[], $12::text[]) as values_found (field, value)
        on conflict do nothing
    )
    select exists (select from head) as is_current, exists (select from fence) as is_new, newest,
      exists (select from request_log_writers where day = $1::text and writer = $3::text and batch >= $4::bigint) as was_written,
      set_config('synchronous_commit', 'off', true)
    from request_log_head`;
}
