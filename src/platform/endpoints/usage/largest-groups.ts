import type { QueryOf } from "../../operation.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { RANKED_MEASURES, type LargestGroups } from "../../../stores/ledger/ledger-record-store.ts";
import type { PageQuery } from "../../paging.ts";
import type { UsageGroups } from "./usage-groups.ts";
import type { UsageSpan } from "./usage-span.ts";

const MAX_TOP = 50;
/** All rows are on one page. */
const MAX_SPAN_DAYS_BY_HOUR = 31;
const MAX_HOURS = MAX_SPAN_DAYS_BY_HOUR * 24 + 2;

export const largestQuery = {
  top: {
    type: "integer",
    minimum: 1,
    maximum: MAX_TOP,
    description: `Only so many of the largest groups over the whole range; the others are one row with \`is_other\`, in each hour or day. For one grouping, or one beside \`hour\` or \`day\`, such as \`by=day,model&top=10\`. All rows are on one page, whatever \`limit\` is; by hour, the range has at most ${MAX_SPAN_DAYS_BY_HOUR} days.`,
  },
  top_by: {
    type: "string",
    enum: RANKED_MEASURES,
    description:
      "The measure by which groups are the largest: `cost` (default), `requests` including failed ones, `tokens` of prompts and responses, or `failed`.",
  },
} as const satisfies Record<string, Schema>;

type LargestQuery = QueryOf<typeof largestQuery>;

/** The largest groups of a report. Throws a 400 where the other parameters do not fit. */
export function readLargest(
  { top, top_by: by, order, cursor }: LargestQuery & PageQuery & { readonly order?: string },
  { unit, dimensions }: UsageGroups,
  { buckets }: UsageSpan,
): LargestGroups | undefined {
  if (top === undefined) {
    if (by !== undefined) throw refusal("top_by", "needs top");
    return undefined;
  }
  if (dimensions.length !== 1) throw refusal("by", "must have one grouping with top, or one beside hour or day, such as day,model");
  if (order === "cost" || cursor !== undefined) throw refusal("top", "cannot be combined with the order by cost or a cursor");
  if (unit === "hour" && buckets.length > MAX_HOURS) {
    throw refusal("from", `must be at most ${MAX_SPAN_DAYS_BY_HOUR} days before \`to\`, by hour with top`);
  }
  return { count: top, by: by ?? "cost" };
}

function refusal(param: string, problem: string): ApiError {
  return new ApiError("invalid_value", `${param} ${problem}.`, { param });
}
