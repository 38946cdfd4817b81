import { useNavigate } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import type { CalendarUnit } from "../../../src/lib/time/calendar.ts";
import { ChartCard } from "../charts/chart-card.tsx";
import type { ChartData } from "../charts/chart-data.ts";
import { compactCount, count, day, duration } from "../parts/format/format.ts";
import type { Quantiles, RequestStatistics, UsagePage } from "../../../platform-client/types.ts";
import { axisTime } from "./format-axis.ts";
import { ledgerOutcomesOf, firstTokensOf, latencyOf, outcomesOf, tokensOf } from "./chart-series.ts";
import { bucketsOf, type Range } from "./range.ts";
import { isLogOff, permanentError, type OfRange, type UsageFilter } from "./use-usage.ts";

interface ChartsProps {
  readonly usage: OfRange<UsagePage>;
  readonly statistics: OfRange<RequestStatistics>;
}

const COUNTS = { format: count, formatAxis: compactCount, isWhole: true };
const TIMES = { kind: "lines", format: duration, formatAxis: axisTime } as const;

export function TokensChart({ usage }: ChartsProps): ReactNode {
  const total = usage.query.data?.total;
  return (
    <ChartCard
      title="Tokens"
      kind="bars"
      {...COUNTS}
      {...useChart(usage, tokensOf)}
      total={total && compactCount(total.prompt_tokens + total.completion_tokens)}
      empty="No tokens in this range."
      fileName="tokens.csv"
    />
  );
}

const REQUESTS = { title: "Requests", kind: "bars", ...COUNTS, empty: "No requests in this range.", fileName: "requests.csv" } as const;

/** From the request log, which includes rejected requests; if the log is off, from the ledger. */
export function RequestsChart({ usage, statistics, filter }: ChartsProps & { readonly filter: UsageFilter }): ReactNode {
  const isOff = isLogOff(statistics.query.data, usage.query.data);
  return isOff ? <LedgerOutcomesChart usage={usage} /> : <OutcomesChart statistics={statistics} filter={filter} />;
}

function LedgerOutcomesChart({ usage }: Pick<ChartsProps, "usage">): ReactNode {
  const chart = useChart(usage, ledgerOutcomesOf);
  const total = usage.query.data?.total;
  return (
    <ChartCard
      {...REQUESTS}
      {...chart}
      total={total && count(total.requests + total.failed)}
      note="Without rejected requests: the request log is off."
    />
  );
}

interface OutcomesChartProps extends Pick<ChartsProps, "statistics"> {
  readonly filter: UsageFilter;
}

/** A click lists the requests of a bar. */
function OutcomesChart({ statistics, filter }: OutcomesChartProps): ReactNode {
  const chart = useChart(statistics, outcomesOf);
  const navigate = useNavigate();
  const { data } = statistics.query;
  const open = (slot: number, series: string | undefined): void => {
    const { fromMs, toMs } = bucketsOf(statistics.range, Date.parse(data!.to))[slot]!;
    // The same outcomes as in the statistics.
    const outcome = series === "succeeded" ? "complete,replayed,dry_run" : series;
    const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    void navigate({ to: "/requests", search: { ...filter, ...span, ...(outcome !== undefined && { outcome }) } });
  };
  return <ChartCard {...REQUESTS} {...chart} total={data && count(data.total.requests)} note={retentionNote(statistics)} onOpen={open} />;
}

const LATENCY = {
  title: "Latency",
  field: "duration_ms",
  fileName: "latency.csv",
  empty: "No successful requests in this range.",
} as const;

export function LatencyChart(props: ChartsProps): ReactNode {
  return <TimesChart {...props} {...LATENCY} read={latencyOf} />;
}

const FIRST_TOKEN = {
  title: "Time to first token",
  field: "first_token_ms",
  fileName: "first-token.csv",
  empty: "No streamed responses in this range.",
} as const;

export function FirstTokenChart(props: ChartsProps): ReactNode {
  return <TimesChart {...props} {...FIRST_TOKEN} read={firstTokensOf} />;
}

interface TimesChartProps extends ChartsProps {
  readonly title: string;
  readonly field: "duration_ms" | "first_token_ms";
  readonly fileName: string;
  readonly empty: string;
  readonly read: typeof latencyOf;
}

function TimesChart({ usage, statistics, title, field, fileName, empty, read }: TimesChartProps): ReactNode {
  const isOff = isLogOff(statistics.query.data, usage.query.data);
  return (
    <ChartCard
      title={title}
      {...TIMES}
      {...useChart(statistics, read)}
      total={statistics.query.data && totalTime(statistics.query.data.total[field])}
      empty={isOff ? "The request log is off, so there is no latency data." : empty}
      fileName={fileName}
      note={retentionNote(statistics)}
    />
  );
}

function totalTime(of: Quantiles): string {
  return of ? `${duration(of.p50)} median` : "–";
}

/** The request log has a shorter retention than the ledger. */
function retentionNote({ query: { data }, range }: OfRange<RequestStatistics>): string | undefined {
  if (!data || data.retained_from === null || data.total.requests === 0) return undefined;
  return Date.parse(data.retained_from) > range.fromMs ? `Request log since ${day(data.retained_from)}.` : undefined;
}

interface ChartState {
  readonly data: ChartData | undefined;
  readonly unit: CalendarUnit;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isStale: boolean;
}

/** The state of a chart. The data is memoized, so that the chart is not drawn again without a change. */
function useChart<T>({ query, range }: OfRange<T>, read: (data: T, range: Range) => ChartData): ChartState {
  const data = useMemo(() => query.data && read(query.data, range), [query.data, range, read]);
  return {
    data,
    unit: range.unit,
    error: permanentError(query.error),
    retry: () => void query.refetch(),
    isStale: query.isPlaceholderData,
  };
}
