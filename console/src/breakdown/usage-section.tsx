import type { ReactNode } from "react";
import { Stat } from "../parts/facts.tsx";
import { compactCount, count, money } from "../parts/format/format.ts";
import { Notice } from "../parts/notice.tsx";
import { BreakdownChart } from "./breakdown-chart.tsx";
import type { DimensionId } from "./breakdown.ts";
import { FirstTokenChart, LatencyChart } from "./charts.tsx";
import { HeatMap } from "./heat-map.tsx";
import { RangeChoices } from "./range-choices.tsx";
import { describeRange, readRange, type Range } from "./range.ts";
import { useMinute } from "./use-minute.ts";
import { useUsageSearch } from "./use-search.ts";
import { permanentError, useStatistics, useUsage, type UsageFilter } from "./use-usage.ts";

interface UsageSectionProps {
  /** A key, an account or a model. */
  readonly of: UsageFilter;
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
  readonly tag?: string | undefined;
}

/** The usage of a key, an account or a model in a range: totals, a chart with a breakdown, latency, and usage by hour of the week. */
export function UsageSection({ of, dimensions, isOperator, tag }: UsageSectionProps): ReactNode {
  const [search] = useUsageSearch();
  const nowMs = useMinute();
  const range = readRange(search, nowMs, Intl.DateTimeFormat().resolvedOptions().timeZone, "30d");
  return (
    <section aria-labelledby="usage" className="flex min-w-0 flex-col gap-3">
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 id="usage" className="font-semibold">
            Usage
          </h2>
          <p className="text-sm text-ink-3">{describeRange(range, nowMs)}</p>
        </div>
        <RangeChoices range={range} />
      </header>
      {range.problem && <Notice tone="warn">{range.problem}</Notice>}
      <Totals range={range} of={of} />
      <BreakdownChart range={range} nowMs={nowMs} filter={of} dimensions={dimensions} isOperator={isOperator} tag={tag} />
      <div className="grid gap-3 lg:grid-cols-2">
        {of.key === undefined && <Latencies range={range} of={of} />}
        <div className="min-w-0 lg:col-span-2">
          <HeatMap range={range} nowMs={nowMs} filter={of} />
        </div>
      </div>
    </section>
  );
}

interface OfUsage {
  readonly range: Range;
  readonly of: UsageFilter;
}

function Totals({ range, of }: OfUsage): ReactNode {
  const { data, error } = useUsage(range, of).query;
  const total = data?.total;
  const unknown = permanentError(error) ? "–" : "…";
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Spend" value={total ? money(total.cost) : unknown} note="Charged" />
      <Stat label="Succeeded" value={total ? count(total.requests) : unknown} note={total && `${count(total.failed)} failed`} />
      <Stat
        label="Input tokens"
        value={total ? compactCount(total.prompt_tokens) : unknown}
        note={total && `${compactCount(total.cached_tokens)} cached`}
      />
      <Stat
        label="Output tokens"
        value={total ? compactCount(total.completion_tokens) : unknown}
        note={total && `${compactCount(total.reasoning_tokens)} reasoning`}
      />
    </div>
  );
}

/** The request log has latencies by account and model, but not by key. */
function Latencies({ range, of }: OfUsage): ReactNode {
  const charts = { usage: useUsage(range, of), statistics: useStatistics(range, of) };
  return (
    <>
      <LatencyChart {...charts} />
      <FirstTokenChart {...charts} />
    </>
  );
}
