import { useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, type ReactNode } from "react";
import { accumulate } from "../charts/accumulate.ts";
import { ChartCard } from "../charts/chart-card.tsx";
import { readBreakdown, valueIn, type Breakdown, type DimensionId, type Measure, TOTAL, MEASURES, offered } from "./breakdown.ts";
import { breakDown, previousSeries, type BreakdownData, type Report, TOP } from "./breakdown-series.ts";
import { ChangeBadge } from "./change-badge.tsx";
import { bucketsOf, describeDays, type Range, previousOf, spanOf } from "./range.ts";
import { requestsOf } from "./requests-of.ts";
import { useUsageSearch } from "./use-search.ts";
import { permanentError, type OfRange, type UsageFilter, LIVE, useOfRange } from "./use-usage.ts";
import type { UseQueryResult } from "@tanstack/react-query";
import { useApiQuery } from "../platform/use-api.ts";
import { Select } from "../parts/inputs/field.tsx";
import { Switch } from "../parts/inputs/switch.tsx";
import { TagInput } from "./tag-input.tsx";

interface BreakdownChartProps {
  readonly range: Range;
  readonly nowMs: number;
  readonly filter: UsageFilter;
  /** The dimensions by which the chart can be stacked. The first is the default; the URL overrides it. */
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
  /** The tag to start with. */
  readonly tag?: string | undefined;
}

/** A measure over time, stacked by a dimension, compared with the previous period. A click lists the requests of a bar. */
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

function useChartData(breakdown: Breakdown, report: OfRange<Report>, previous: OfRange<Report>): BreakdownData | undefined {
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

/** The report that a chart shows. */
function useBreakdown(breakdown: Breakdown, range: Range, filter: UsageFilter): OfRange<Report> {
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

/** The totals of the previous period, if they are compared. */
function usePrevious(breakdown: Breakdown, range: Range, nowMs: number, filter: UsageFilter): OfRange<Report> {
  const before = previousOf(range, nowMs);
  const query = { ...spanOf(before), ...filter, by: range.unit, limit: 1000 };
  return useOfRange(useReport(query, breakdown.measure.id === "margin", breakdown.isCompared), before);
}

type Query = Parameters<typeof useApiQuery<"showUsage">>[1]["query"];

/** Margins have a separate report, for operators. */
function useReport(query: NonNullable<Query>, isMargin: boolean, enabled: boolean): UseQueryResult<Report> {
  const usage = useApiQuery("showUsage", { query }, { ...LIVE, enabled: enabled && !isMargin });
  const margin = useApiQuery("showMargin", { query }, { ...LIVE, enabled: enabled && isMargin });
  return isMargin ? margin : usage;
}

interface BreakdownControlsProps {
  readonly breakdown: Breakdown;
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
}

/** The measure and the breakdown of a chart, both in the URL. */
function BreakdownControls({ breakdown, dimensions, isOperator }: BreakdownControlsProps): ReactNode {
  const [, change] = useUsageSearch();
  const { measure, by, tag, isCompared, isCumulative } = breakdown;
  const measures = MEASURES.filter(({ id }) => isOperator || id !== "margin").map(({ id, label }) => ({ value: id, label }));
  const groups = [
    ...offered({ dimensions, isOperator }).map(({ id, label }) => ({ value: id as string, label })),
    { value: TOTAL, label: "Total" },
  ];
  return (
    <>
      <Switch
        label="Compare"
        title="Compare with the previous period"
        checked={isCompared}
        onChange={({ target }) => change({ compare: target.checked ? null : "off" })}
      />
      <Switch
        label="Cumulative"
        title="Add up each day or hour and those before it"
        checked={isCumulative}
        onChange={({ target }) => change({ cumulative: target.checked ? "on" : null })}
      />
      <Select
        aria-label="Measure"
        className="w-40 max-sm:w-36 max-sm:grow"
        choices={measures}
        value={measure.id}
        onChange={({ target }) => change({ measure: target.value })}
      />
      <Select
        aria-label="Stacked by"
        className="w-32 max-sm:w-36 max-sm:grow"
        choices={groups}
        value={by}
        onChange={({ target }) => change({ by: target.value })}
      />
      {by === "tag" && <TagInput key={tag} tag={tag} onChange={(name) => change({ tag: name })} />}
    </>
  );
}
