import type { SQLQueryBindings } from "bun:sqlite";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import { storable } from "../log-dialect.ts";
import { COLUMN_NAMES, FIELD_NAMES, toRow, uuidOf } from "../request-rows.ts";

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
    const fields: string[] = [];
    const values: string[] = [];
    for (const [at, known] of this.#found.entries()) {
      for (const value of known) {
        fields.push(FIELD_NAMES[at]!);
        values.push(value);
      }
    }
    return [fields, values];
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
