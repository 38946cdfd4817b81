import { BillError } from "../bill-error.ts";
import type { BillFormat, BillLine, EmptyLine, OpenFormat } from "../bill.ts";
import type { BillRow } from "../bill-row.ts";
import { NOTHING, type Count, type Measures } from "../measures.ts";
import type { ZoneDays } from "../zone-days.ts";
import { BUCKET_COLUMNS, bucketDay } from "./bucket-day.ts";

/** `gpt-4o-mini-2024-07-18, cached input`, `priority | gpt-5.6, output, long context`. */
const TOKENS = /^(?:[a-z ]+ \| )?([^,|]+), (input|cached input|cache writes|output)(?:, long context)?$/;

const KINDS: Readonly<Record<string, Count>> = { input: "input", "cached input": "cached", "cache writes": "cacheWrite", output: "output" };

/**
 * OpenAI's `cost_….csv`: a record for each day and invoice item. An item is a model and a kind of tokens, or a tool. Newer exports have the
 * quantity in addition to the amount.
 */
export const OPENAI_COSTS: BillFormat = {
  name: "openai_costs",
  isIt: (columns) => columns.has("start_time") && columns.has("amount_value"),
  open(columns): OpenFormat {
    const missing = ["end_time", "line_item"].find((column) => !columns.has(column));
    if (missing !== undefined) throw new BillError("is missing: export the costs grouped by line item", 1, missing);
    const hasQuantity = columns.has("quantity");
    // Cache writes are a separate item for models that charge for them, and part of the input for all others.
    let hasCacheWrites = false;
    return {
      columns: [...BUCKET_COLUMNS, "amount_value", "amount_currency", "line_item", "quantity", "quantity_unit"],
      measures: () =>
        hasQuantity ? ["input", "cached", ...(hasCacheWrites ? (["cacheWrite"] as const) : []), "output", "cost"] : ["cost"],
      read(row, days) {
        const line = readLine(row, days, hasQuantity);
        hasCacheWrites ||= (line.measures?.counts.cacheWrite ?? 0) > 0;
        return line;
      },
    };
  },
};

function readLine(row: BillRow, days: ZoneDays, hasQuantity: boolean): BillLine | EmptyLine {
  const day = bucketDay(row, days);
  const item = row.text("line_item");
  if (item === "" && row.text("amount_value") === "") return { day };
  if (item === "") row.fail("line_item", "is empty: export the costs grouped by line item");
  const costPicos = row.amount("amount_value");
  const isInDollars = row.text("amount_currency").toLowerCase() === "usd";
  if (!isInDollars && (row.text("amount_currency") !== "" || costPicos !== 0n)) {
    row.fail("amount_currency", "must be usd: prices are in dollars");
  }
  const [, model, kind] = TOKENS.exec(item) ?? [];
  if (model === undefined) return { day, model: `(${item})`, measures: { ...NOTHING, costPicos } };
  return { day, model, measures: { counts: countsOf(row, KINDS[kind!]!, hasQuantity, costPicos), costPicos } };
}

function countsOf(row: BillRow, kind: Count, hasQuantity: boolean, costPicos: bigint): Measures["counts"] {
  if (!hasQuantity || (row.text("quantity") === "" && costPicos === 0n)) return NOTHING.counts;
  const unit = row.text("quantity_unit");
  if (unit !== "" && unit !== "tokens") row.fail("quantity_unit", "must be tokens for this item");
  return { ...NOTHING.counts, [kind]: row.count("quantity") };
}
