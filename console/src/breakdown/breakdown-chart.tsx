import { useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, type ReactNode } from "react";
import { accumulate } from "../charts/accumulate.ts";
import { ChartCard } from "../charts/chart-card.tsx";
import { BreakdownControls } from "./breakdown-controls.tsx";
import { readBreakdown, valueIn, type Breakdown, type DimensionId, type Measure } from "./breakdown.ts";
import { breakDown, previousSeries, type BrokenDown, type Report } from "./breakdown-series.ts";
import { ChangeBadge } from "./change-badge.tsx";
import { bucketsOf, describeDays, type Range } from "./range.ts";
import { requestsOf } from "./requests-of.ts";
import { useBreakdown, usePrevious } from "./use-breakdown.ts";
import { useUsageSearch } from "./use-search.ts";
import { permanentError, type OfRange, type UsageFilter } from "./use-usage.ts";

interface BreakdownChartProps {
  readonly range: Range;
  readonly nowMs: number;
  readonly filter: UsageFilter;
  /** How the chart can be stacked; by the first unless the URL says otherwise. */
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
  /** The tag to start with. */
  readonly tag?: string | undefined;
}

/** A measure over time, stacked by a dimension, beside the previous period. A click lists the requests of a bar. */
export function BreakdownChart({ range, nowMs, filter, dimensions, isOperator, tag }: BreakdownChartProps): ReactNode {
  const [search] = useUsageSearch();
  const navigate = useNavigate();
  const breakdown = readBreakdown(search, { dimensions, isOperator, tag });
  const report = useBreakdown(breakdown, range, filter);
  const previous = usePrevious(breakdown, range, nowMs, filter);
  const shown = useShown(breakdown, report.query.isPlaceholderData);
  const data = useChartData(shown, report, previous);
  const { measure } = shown;
  const total = report.query.data && Number(valueIn(report.query.data.total, measure));
  const open = (slot: number, series: string | undefined): void => {
    const { fromMs, toMs } = bucketsOf(report.range, Date.parse(report.query.data!.to))[slot]!;
    const group = series === undefined ? undefined : data!.groups.get(series);
    void navigate({ to: "/requests", search: requestsOf({ filter, group, tag: shown.tag, measure, fromMs, toMs }) });
  };
  return (
    <ChartCard
      title={measure.label}
      kind="bars"
      format={measure.format}
      formatAxis={measure.formatAxis}
      isWhole={!measure.isMoney}
      data={data}
      total={total === undefined ? undefined : measure.format(total)}
      change={breakdown.isCompared && total !== undefined && <Change total={total} of={previous} measure={measure} />}
      controls={<BreakdownControls breakdown={breakdown} dimensions={dimensions} isOperator={isOperator} />}
      unit={report.range.unit}
      error={permanentError(report.query.error)}
      retry={() => void report.query.refetch()}
      isStale={report.query.isPlaceholderData}
      empty={measure.id === "cost" ? "No spend in this range." : "Nothing in this range."}
      note={measure.note}
      fileName={`${measure.id === "cost" ? "spend" : measure.id}.csv`}
      onOpen={open}
    />
  );
}

/** The breakdown of the data, which is the previous one while the new one loads. */
function useShown(breakdown: Breakdown, isPlaceholder: boolean): Breakdown {
  const latest = useRef(breakdown);
  const { current } = latest;
  const isSame = Object.entries(breakdown).every(([name, value]) => current[name as keyof Breakdown] === value);
  if (!isPlaceholder && !isSame) latest.current = breakdown;
  return latest.current;
}

function useChartData(breakdown: Breakdown, report: OfRange<Report>, previous: OfRange<Report>): BrokenDown | undefined {
  const { data } = report.query;
  const before = previous.query.isPlaceholderData ? undefined : previous.query.data;
  const chart = useMemo(() => data && breakDown(data, breakdown, report.range), [data, breakdown, report.range]);
  return useMemo(() => {
    if (!chart) return undefined;
    const isCompared = before !== undefined && breakdown.isCompared;
    const compared = isCompared ? { ...chart, previous: previousSeries(before, breakdown.measure, previous.range, chart.slots) } : chart;
    return breakdown.isCumulative ? accumulate(compared) : compared;
  }, [chart, before, breakdown, previous.range]);
}

function Change({
  total,
  of: { query, range },
  measure,
}: {
  readonly total: number;
  readonly of: OfRange<Report>;
  readonly measure: Measure;
}): ReactNode {
  if (!query.data || query.isPlaceholderData) return null;
  const before = Number(valueIn(query.data.total, measure));
  return <ChangeBadge now={total} before={before} was={measure.format(before)} dates={describeDays(range, Date.parse(query.data.to))} />;
}
