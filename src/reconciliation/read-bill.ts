import { setImmediate as nextTurn } from "node:timers/promises";
import { readCsv, type CsvRecord } from "../lib/text/csv.ts";
import { BillError } from "./bill-error.ts";
import { BillRow, columnName } from "./bill-row.ts";
import type { Bill, BilledModel, BillFormat, BillLine, EmptyLine } from "./bill.ts";
import { ANTHROPIC_COSTS } from "./formats/anthropic-costs.ts";
import { ANTHROPIC_USAGE } from "./formats/anthropic-usage.ts";
import { OPENAI_COSTS } from "./formats/openai-costs.ts";
import { OPENAI_USAGE } from "./formats/openai-usage.ts";
import { PLAIN } from "./formats/plain-bill.ts";
import { plus } from "./measures.ts";
import type { ZoneDays } from "./zone-days.ts";

/** The formats, recognized by their columns. Any other file is read as a plain bill. */
const FORMATS: readonly BillFormat[] = [OPENAI_COSTS, OPENAI_USAGE, ANTHROPIC_COSTS, ANTHROPIC_USAGE, PLAIN];

/** The number of records per slice. A slice blocks the event loop for a few milliseconds. */
const RECORDS_AT_ONCE = 500;
/** More models than any provider has. */
const MAX_MODELS = 1000;
const MAX_RECORDS = 200_000;
const MAX_COLUMNS = 200;
const MAX_CELL_LENGTH = 10_000;

/** Parses a provider's bill, and sums its records by model and day. Throws `BillError` with the position. */
export async function readBill(csv: string, days: ZoneDays): Promise<Bill> {
  const records = readCsv(csv, {
    maxCells: MAX_COLUMNS,
    maxCellLength: MAX_CELL_LENGTH,
    fail: (problem, line) => new BillError(problem, line),
  });
  const first = records.next();
  if (first.done) throw new BillError("the file is empty");
  refuseOtherSeparator(first.value);
  const places = placesIn(first.value);
  const columns = new Set(places.keys());
  const format = FORMATS.find(({ isIt }) => isIt(columns))!;
  const { read, columns: used, measures } = format.open(columns);
  const ignoredColumns = [...columns].filter((column) => !used.includes(column));
  refuseUnreadAmounts(ignoredColumns, first.value);
  const sums = new BillSums();
  for (const record of records) {
    // The first line is a record too.
    if (sums.lines + 1 === MAX_RECORDS)
      throw new BillError(`there are more than ${MAX_RECORDS} records: export fewer days or groups`, record.line);
    sums.add(read(new BillRow(record, places), days));
    if (sums.lines % RECORDS_AT_ONCE === 0) await nextTurn();
  }
  return {
    format: format.name,
    lines: sums.lines,
    measures: new Set(measures()),
    ignoredColumns,
    span: sums.span,
    models: sums.models,
  };
}

/** Spreadsheets write semicolons in locales with a decimal comma. Then the whole line is parsed as one cell. */
function refuseOtherSeparator({ line, cells }: CsvRecord): void {
  if (cells.length === 1 && cells[0]!.includes(";"))
    throw new BillError("cells must be separated by commas, but this file seems to use ;", line);
}

const AMOUNTS: ReadonlySet<string> = new Set(
  `amount amounts charge charged charges cost costs credit credits currency discount discounts dollar dollars fee fees gross net payment
  payments spend spent subtotal tax taxes total vat usd eur gbp chf jpy cny inr aud cad`.split(/\s+/),
);

/** Words that mark a column of prices or counts: `list_price_usd` is not an amount of the bill, and `total_tokens` is not money. */
const NO_AMOUNTS: ReadonlySet<string> = new Set(["price", "token", "tokens", "request", "requests", "count"]);

/** Rejects unknown columns that seem to be money, because they would not be compared. */
function refuseUnreadAmounts(ignored: readonly string[], { line }: CsvRecord): void {
  const unread = ignored.find((column) => {
    const words = column.split("_");
    return words.some((word) => AMOUNTS.has(word)) && !words.some((word) => NO_AMOUNTS.has(word));
  });
  if (unread === undefined) return;
  throw new BillError(
    "seems to be money, but is not read: in a plain bill, name the billed dollars cost, and omit the other columns",
    line,
    unread,
  );
}

function placesIn({ line, cells }: CsvRecord): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, heading] of cells.entries()) {
    const name = columnName(heading);
    if (places.has(name)) throw new BillError("occurs twice", line, name);
    places.set(name, at);
  }
  return places;
}

class BillSums {
  readonly #models = new Map<string, BilledModel>();
  readonly #names = new Set<string>();
  #span: { from: string; to: string } | undefined;
  lines = 0;

  get span(): Bill["span"] {
    return this.#span;
  }

  get models(): readonly BilledModel[] {
    return [...this.#models.values()];
  }

  add(line: BillLine | EmptyLine): void {
    const { day } = line;
    this.lines++;
    const { from, to } = this.#span ?? { from: day, to: day };
    this.#span = { from: day < from ? day : from, to: day > to ? day : to };
    if (line.model === undefined) return;
    const { model, measures, roundedByPicos = 0n } = line;
    this.#names.add(model);
    if (this.#names.size > MAX_MODELS) throw new BillError(`there are more than ${MAX_MODELS} models: check the column of models`);
    const name = JSON.stringify([day, model]);
    const sum = this.#models.get(name);
    const both = sum && { measures: plus(sum.measures, measures), roundedByPicos: sum.roundedByPicos + roundedByPicos };
    this.#models.set(name, { day, model, ...(both ?? { measures, roundedByPicos }) });
  }
}
