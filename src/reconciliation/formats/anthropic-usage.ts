import { BillError } from "../bill-error.ts";
import type { BillFormat, BillLine, OpenFormat } from "../bill.ts";
import type { BillRow } from "../bill-row.ts";
import type { ZoneDays } from "../zone-days.ts";
import { requireUtc } from "./require-utc.ts";

const INPUT = "usage_input_tokens_no_cache";
const CACHED = "usage_input_tokens_cache_read";
const OUTPUT = "usage_output_tokens";
const CACHE_WRITES = ["usage_input_tokens_cache_write_5m", "usage_input_tokens_cache_write_1h", "usage_input_tokens_cache_write"];

/** The Claude Console's `claude_api_tokens_….csv`: a record for each day, model, key and workspace. */
export const ANTHROPIC_USAGE: BillFormat = {
  name: "anthropic_usage",
  isIt: (columns) => columns.has("usage_date_utc") && !columns.has("cost_usd"),
  open(columns): OpenFormat {
    const missing = ["model_version", INPUT, CACHED, OUTPUT].find((column) => !columns.has(column));
    if (missing !== undefined) throw new BillError("is missing", 1, missing);
    const cacheWrites = CACHE_WRITES.filter((column) => columns.has(column));
    return {
      columns: ["usage_date_utc", "model_version", INPUT, CACHED, OUTPUT, ...cacheWrites],
      measures: () => ["input", "cached", "cacheWrite", "output"],
      read: (row, days) => readLine(row, days, cacheWrites),
    };
  },
};

function readLine(row: BillRow, days: ZoneDays, cacheWrites: readonly string[]): BillLine {
  requireUtc(row, days);
  const model = row.text("model_version");
  if (model === "") row.fail("model_version", "is empty");
  const counts = {
    requests: 0,
    input: row.count(INPUT),
    cached: row.count(CACHED),
    cacheWrite: cacheWrites.reduce((sum, column) => sum + row.count(column), 0),
    output: row.count(OUTPUT),
  };
  return { day: row.day("usage_date_utc", days), model, measures: { counts, costPicos: 0n } };
}
