import type { ReactNode } from "react";
import type { CalendarUnit } from "../../../../src/vocabulary/calendar.ts";
import { ChartCard } from "../../charts/chart-card.tsx";
import type { ChartData } from "../../charts/chart-data.ts";
import { compactCount, count, day, duration, money } from "../../parts/format.ts";
import type { Quantiles, RequestStatistics, UsagePage } from "../../platform/interface.ts";
import { answersOf, outcomesOf, spendOf, timesOf, tokensOf } from "./chart-series.ts";
import type { OfRange } from "./use-overview.ts";

interface ChartsProps {
  readonly usage: OfRange<UsagePage>;
  readonly statistics: OfRange<RequestStatistics>;
  readonly nowMs: number;
}

const dollars = (value: number): string => money(String(value));
const axisDollars = (value: number): string =>
  `$${value >= 10_000 ? compactCount(value) : value.toLocaleString("en-US", { minimumFractionDigits: Number.isInteger(value) ? 0 : 2, maximumFractionDigits: 6 })}`;
const axisTime = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`);

const COUNTS = { format: count, formatAxis: compactCount };
const TIMES = { kind: "lines", format: duration, formatAxis: axisTime } as const;

export function SpendChart({ usage, nowMs }: ChartsProps): ReactNode {
  return (
    <ChartCard
      title="Spend"
      kind="bars"
      format={dollars}
      formatAxis={axisDollars}
      {...stateOf(usage, (page, range) => spendOf(page, range, nowMs))}
      total={usage.query.data && money(usage.query.data.total.cost)}
      empty="Nothing was charged in this range."
      fileName="spend.csv"
    />
  );
}

export function TokensChart({ usage, nowMs }: ChartsProps): ReactNode {
  const total = usage.query.data?.total;
  return (
    <ChartCard
      title="Tokens"
      kind="bars"
      {...COUNTS}
      {...stateOf(usage, (page, range) => tokensOf(page, range, nowMs))}
      total={total && compactCount(total.prompt_tokens + total.completion_tokens)}
      empty="No tokens were used in this range."
      fileName="tokens.csv"
    />
  );
}

/** By the request log, which also knows of those that were refused; where none is kept, by the ledger. */
export function RequestsChart({ usage, statistics, nowMs }: ChartsProps): ReactNode {
  const shared = { title: "Requests", kind: "bars", ...COUNTS, empty: "No requests in this range.", fileName: "requests.csv" } as const;
  const used = usage.query.data?.total;
  if (isLogOff(statistics, usage) && used) {
    const data = stateOf(usage, (page, range) => answersOf(page, range, nowMs));
    return (
      <ChartCard
        {...shared}
        {...data}
        total={count(used.requests + used.failed)}
        note="No request log is kept: those refused are not counted."
      />
    );
  }
  const data = stateOf(statistics, (page, range) => outcomesOf(page, range, nowMs));
  const total = statistics.query.data && count(statistics.query.data.total.requests);
  return <ChartCard {...shared} {...data} total={total} note={keptNote(statistics)} />;
}

export function LatencyChart(props: ChartsProps): ReactNode {
  return (
    <TimesChart {...props} title="Latency" field="duration_ms" fileName="latency.csv" empty="No request was answered in this range." />
  );
}

export function FirstTokenChart(props: ChartsProps): ReactNode {
  return (
    <TimesChart
      {...props}
      title="Time to first token"
      field="first_token_ms"
      fileName="first-token.csv"
      empty="Nothing was streamed in this range."
    />
  );
}

interface TimesChartProps extends ChartsProps {
  readonly title: string;
  readonly field: "duration_ms" | "first_token_ms";
  readonly fileName: string;
  readonly empty: string;
}

function TimesChart({ usage, statistics, nowMs, title, field, fileName, empty }: TimesChartProps): ReactNode {
  return (
    <ChartCard
      title={title}
      {...TIMES}
      {...stateOf(statistics, (page, range) => timesOf(page, range, nowMs, (row) => row[field]))}
      total={statistics.query.data && totalTime(statistics.query.data.total[field])}
      empty={isLogOff(statistics, usage) ? "No request log is kept, so times are not known." : empty}
      fileName={fileName}
      note={keptNote(statistics)}
    />
  );
}

function totalTime(of: Quantiles): string {
  return of ? `${duration(of.p50)} median` : "–";
}

function isLogOff(statistics: OfRange<RequestStatistics>, usage: OfRange<UsagePage>): boolean {
  return statistics.query.data?.kept_from === null && (usage.query.data?.total.requests ?? 0) > 0;
}

/** The request log does not go back as far as the ledger. */
function keptNote({ query: { data }, range }: OfRange<RequestStatistics>): string | undefined {
  if (!data || data.kept_from === null || data.total.requests === 0) return undefined;
  return Date.parse(data.kept_from) > range.fromMs ? `Kept since ${day(data.kept_from)}.` : undefined;
}

function stateOf<T>(
  { query, range }: OfRange<T>,
  read: (data: T, range: OfRange<T>["range"]) => ChartData,
): { data: ChartData | undefined; unit: CalendarUnit; error: Error | null; retry: () => void; isStale: boolean } {
  return {
    data: query.data && read(query.data, range),
    unit: range.unit,
    error: query.error,
    retry: () => void query.refetch(),
    isStale: query.isPlaceholderData,
  };
}
