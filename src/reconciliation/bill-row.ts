import { parseIsoDate } from "../lib/time/iso-date.ts";
import { BillError } from "./bill-error.ts";
import type { CsvRecord } from "./csv.ts";
import { parsePicos } from "./parse-picos.ts";
import type { ZoneDays } from "./zone-days.ts";

/** Normalizes a column name: `Input Tokens` is `input_tokens`. */
export function columnName(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "_")
    .replaceAll(/^_|_$/g, "");
}

const DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;
const SECONDS = /^\d{9,11}(\.0+)?$/;
/** More digits would exceed the exact range of sums. */
const WHOLE_NUMBER = /^\d{1,14}(\.0+)?$/;

/** A record of a bill, whose cells are read by column. Errors have the position of the cell. */
export class BillRow {
  readonly #record: CsvRecord;
  readonly #places: ReadonlyMap<string, number>;

  constructor(record: CsvRecord, places: ReadonlyMap<string, number>) {
    this.#record = record;
    this.#places = places;
  }

  /** Empty when there is no such column. */
  text(column: string): string {
    const at = this.#places.get(column);
    return at === undefined ? "" : this.#record.cells[at]!.trim();
  }

  /** A count. Some exports write `59200.0`. An empty cell is an error, not zero. */
  count(column: string): number {
    const text = this.text(column);
    if (!WHOLE_NUMBER.test(text)) this.fail(column, `must be a whole number, such as 59200, not ${quote(text)}`);
    return Number(text);
  }

  /** An amount in pico-dollars. */
  amount(column: string): bigint {
    const text = this.text(column);
    return parsePicos(text) ?? this.fail(column, `must be an amount of dollars, such as 0.0045, not ${quote(text)}`);
  }

  /** The day of a cell, or the day that its timestamp is in. A timestamp without a time zone is in that of the bill. */
  day(column: string, days: ZoneDays): string {
    const [, date] = DAY.exec(this.text(column)) ?? [];
    return date !== undefined && parseIsoDate(date) !== undefined ? date : days.dayOf(this.moment(column));
  }

  /** A timestamp: a date, a time and a time zone, or seconds since 1970. */
  moment(column: string): number {
    const text = this.text(column);
    if (SECONDS.test(text)) return Number.parseInt(text, 10) * 1000;
    return parseIsoDate(text.replace(" ", "T")) ?? this.fail(column, `must be a date such as 2027-01-31, not ${quote(text)}`);
  }

  fail(column: string, problem: string): never {
    throw new BillError(problem, this.#record.line, column);
  }
}

/** Quotes a cell in an error message, cut to a bounded length. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
