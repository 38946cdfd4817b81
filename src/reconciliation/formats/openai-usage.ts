import { BillError } from "../bill-error.ts";
import type { BillFormat, BillLine, EmptyLine, OpenFormat } from "../bill.ts";
import type { BillRow } from "../bill-row.ts";
import type { ZoneDays } from "../zone-days.ts";
import { BUCKET_COLUMNS, bucketDay } from "./bucket-day.ts";

const CACHED = "input_cached_tokens";
const CACHE_WRITE = "input_cache_write_tokens";

/**
 * OpenAI's `completions_usage_….csv`: a record for each time bucket, model and other group. Its `input_tokens` are the whole input. A
 * bucket without usage has only its times, and an export with only such buckets has no other columns.
 */
export const OPENAI_USAGE: BillFormat = {
  name: "openai_usage",
  isIt: (columns) => columns.has("start_time") && columns.has("end_time") && !columns.has("amount_value"),
  open(columns): OpenFormat {
    const isEmpty = [...columns].every((column) => (BUCKET_COLUMNS as readonly string[]).includes(column));
    const missing = isEmpty ? undefined : ["model", "input_tokens", "output_tokens"].find((column) => !columns.has(column));
    if (missing !== undefined) throw new BillError("is missing: export the usage of completions, grouped by model", 1, missing);
    const optional = ["num_model_requests", CACHED, CACHE_WRITE].filter((column) => columns.has(column));
    return {
      columns: [...BUCKET_COLUMNS, "model", "input_tokens", "output_tokens", ...optional],
      measures: () => [
        "input",
        "output",
        ...(optional.includes("num_model_requests") ? (["requests"] as const) : []),
        ...(optional.includes(CACHED) ? (["cached"] as const) : []),
        ...(optional.includes(CACHE_WRITE) ? (["cacheWrite"] as const) : []),
      ],
      read: (row, days) => readLine(row, days, new Set(optional)),
    };
  },
};

function readLine(row: BillRow, days: ZoneDays, has: ReadonlySet<string>): BillLine | EmptyLine {
  const day = bucketDay(row, days);
  const model = row.text("model");
  if (model === "" && row.text("input_tokens") === "" && row.text("output_tokens") === "") return { day };
  if (model === "") row.fail("model", "is empty: export the usage grouped by model");
  const ifThere = (column: string): number => (has.has(column) ? row.count(column) : 0);
  const cached = ifThere(CACHED);
  const cacheWrite = ifThere(CACHE_WRITE);
  const input = row.count("input_tokens") - cached - cacheWrite;
  if (input < 0) row.fail("input_tokens", "must be at least the cached part of it");
  const counts = { requests: ifThere("num_model_requests"), input, cached, cacheWrite, output: row.count("output_tokens") };
  return { day, model, measures: { counts, costPicos: 0n } };
}
