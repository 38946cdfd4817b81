import type { CsvRecord } from "../lib/text/csv.ts";
import { parseIsoDate } from "../lib/time/iso-date.ts";
import { BillError } from "./bill-error.ts";
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

  /** Empty if there is no such column. */
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

  /** The day of a cell, or the day that contains its timestamp. A timestamp without a time zone is in the time zone of the bill. */
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

const PICO_DECIMALS = 12;
/** No bill has more digits before the decimal point. */
const MAX_WHOLE_DIGITS = 12;

/**
 * Parses a decimal number of dollars into pico-dollars. Providers write many decimals (`0.0000045000000000000000`), and zero as
 * `0E-6176`. Prices are whole pico-dollars per token, so smaller fractions are rounded.
 */
export function parsePicos(text: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = /^(-?)(\d{1,60})(?:\.(\d{1,100}))?(?:[eE]([+-]?\d{1,5}))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  const shift = PICO_DECIMALS - fraction.length + Number(exponent);
  if (shift > PICO_DECIMALS + MAX_WHOLE_DIGITS) return undefined;
  const picos = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedShift(digits, -shift);
  if (picos >= 10n ** BigInt(PICO_DECIMALS + MAX_WHOLE_DIGITS)) return undefined;
  return sign === "-" ? -picos : picos;
}

function roundedShift(digits: bigint, by: number): bigint {
  // Beyond its own digits, the number is zero.
  if (by > digits.toString().length) return 0n;
  const divisor = 10n ** BigInt(by);
  return (digits + divisor / 2n) / divisor;
}
