import type { UseQueryResult } from "@tanstack/react-query";
import { useApiQuery } from "../platform/use-api.ts";
import { TOTAL, type Breakdown } from "./breakdown.ts";
import { TOP, type Report } from "./breakdown-series.ts";
import { previousOf, spanOf, type Range } from "./range.ts";
import { LIVE, useOfRange, type OfRange, type UsageFilter } from "./use-usage.ts";

/** The report that a chart shows. */
export function useBreakdown(breakdown: Breakdown, range: Range, filter: UsageFilter): OfRange<Report> {
  const { by, tag, measure } = breakdown;
  const query =
    by === TOTAL
      ? { by: range.unit, limit: 1000 }
      : {
          by: `${range.unit},${by === "tag" ? `tag:${tag}` : by}`,
          top: TOP,
          ...(measure.id !== "margin" && { top_by: measure.id }),
        };
  return useOfRange(useReport({ ...spanOf(range), ...filter, ...query }, measure.id === "margin", true), range);
}

/** The totals of the period before, where they are to be compared. */
export function usePrevious(breakdown: Breakdown, range: Range, nowMs: number, filter: UsageFilter): OfRange<Report> {
  const before = previousOf(range, nowMs);
  const query = { ...spanOf(before), ...filter, by: range.unit, limit: 1000 };
  return useOfRange(useReport(query, breakdown.measure.id === "margin", breakdown.isCompared), before);
}

type Query = Parameters<typeof useApiQuery<"showUsage">>[1]["query"];

/** Margins have a report of their own, for operators. */
function useReport(query: NonNullable<Query>, isMargin: boolean, enabled: boolean): UseQueryResult<Report> {
  const usage = useApiQuery("showUsage", { query }, { ...LIVE, enabled: enabled && !isMargin });
  const margin = useApiQuery("showMargin", { query }, { ...LIVE, enabled: enabled && isMargin });
  return isMargin ? margin : usage;
}
