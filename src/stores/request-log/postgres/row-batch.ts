import type { SQLQueryBindings } from "bun:sqlite";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import { COLUMN_NAMES, FIELD_NAMES, toRow, uuidOf } from "../days/request-table.ts";

/** Rows of one day that are written together, by column: PostgreSQL takes arrays with less work than rows. */
export class RowBatch {
  readonly day: string;
  /** Its place in the batches of this process. A batch that is sent again has the same. */
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

  /** The span of the times and the ids in it. */
  get span(): { fromMs: number; toMs: number; firstId: string; lastId: string } {
    return { fromMs: this.#fromMs, toMs: this.#toMs, firstId: uuidOf(this.#firstId)!, lastId: uuidOf(this.#lastId)! };
  }

  /** The values of the fields that can be filtered, each once: the names of fields, and their values. */
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

/** Attempts are JSON, which PostgreSQL stores with any escape, and rejects when it reads one of these characters in it. */
function withStorableDetails(record: LoggedRequest): LoggedRequest {
  const { attempts } = record;
  if (attempts.every(({ detail }) => detail === null || storable(detail) === detail)) return record;
  return { ...record, attempts: attempts.map((attempt) => ({ ...attempt, detail: attempt.detail && storable(attempt.detail) })) };
}

/** A text as PostgreSQL can store it: without NUL characters, and without halves of surrogate pairs. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}
