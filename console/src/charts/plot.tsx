import { memo, useId, type ReactNode } from "react";
import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type BarShapeProps,
  type DotItemDotProps,
} from "recharts";
import { rowsOf, type ChartData, type ChartRow, type Series } from "./chart-data.ts";
import { PlotTooltip } from "./plot-tooltip.tsx";

export interface PlotProps {
  readonly data: ChartData;
  readonly kind: "bars" | "lines";
  /** The text alternative for screen readers. */
  readonly summary: string;
  readonly format: (value: number) => string;
  /** Short labels for the y axis. */
  readonly formatAxis: (value: number) => string;
  /** Only integers on the y axis. */
  readonly isWhole?: boolean;
}

const MARGIN = { top: 8, right: 18, bottom: 0, left: 0 };
/** How many tick labels fit. Without an interval the library measures every label. */
const ticksIn = (width: number): number => (width < 640 ? 5 : 8);
const TICK = { fill: "var(--color-ink-3)", fontSize: 12 };

/** The only module that imports the chart library, which is loaded lazily. */
export const Plot = memo(function Plot({ data, kind, summary, format, formatAxis, isWhole = false }: PlotProps): ReactNode {
  const id = useId();
  const Chart = kind === "bars" ? BarChart : LineChart;
  const ticks = new Map(data.slots.map(({ name, tick }) => [name, tick]));
  return (
    <ResponsiveContainer width="100%" height="100%" debounce={50}>
      <Chart data={rowsOf(data)} margin={MARGIN} aria-label={summary} barCategoryGap="18%" className="rounded-md">
        <CartesianGrid vertical={false} stroke="var(--color-line)" />
        <XAxis
          dataKey={({ slot }: ChartRow) => slot.name}
          tickFormatter={(name: string) => ticks.get(name) ?? ""}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: "var(--color-line)" }}
          interval={Math.ceil(data.slots.length / ticksIn(innerWidth)) - 1}
          padding={kind === "lines" ? { left: 16, right: 16 } : { left: 0, right: 0 }}
          height={24}
        />
        <YAxis
          tickFormatter={formatAxis}
          tick={TICK}
          tickLine={false}
          axisLine={false}
          width="auto"
          allowDecimals={!isWhole}
          tickCount={4}
          interval={0}
          domain={[0, "auto"]}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={kind === "bars" ? { fill: "var(--color-hover)" } : { stroke: "var(--color-line-strong)" }}
          content={({ active, payload }) => (
            <PlotTooltip row={active ? (payload[0]?.payload as ChartRow | undefined) : undefined} series={data.series} format={format} />
          )}
        />
        {kind === "bars"
          ? data.series.map((series, at) => bar(series, at, id))
          : data.series.flatMap((series, at) => lines(series, at, data))}
      </Chart>
    </ResponsiveContainer>
  );
});

function bar({ id, label, color }: Series, at: number, chart: string): ReactNode {
  const hatch = `${chart}-${id}`;
  return [
    <defs key={`${id}-hatch`}>
      <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="5" height="5" fill={color} opacity="0.22" />
        <rect width="2" height="5" fill={color} />
      </pattern>
    </defs>,
    <Bar
      key={id}
      dataKey={({ cells }: ChartRow) => cells[at]}
      name={label}
      stackId="all"
      fill={color}
      isAnimationActive={false}
      maxBarSize={44}
      shape={(props: BarShapeProps) => segment(props, color, hatch)}
    />,
  ];
}

/** A segment of a bar. An incomplete slot is hatched, so that it does not read as a drop. */
function segment({ x, y, width, height, payload }: BarShapeProps, color: string, hatch: string): ReactNode {
  const { slot } = payload as ChartRow;
  if (!(height > 0)) return <g />;
  return <rect x={x} y={y} width={width} height={height} rx={1} fill={slot.isPartial ? `url(#${hatch})` : color} />;
}

/** A line whose last segment is dashed where the last slot is incomplete. */
function lines({ id, label, color, values }: Series, at: number, { slots }: ChartData): ReactNode[] {
  const last = slots.length - 1;
  const isOpen = slots[last]?.isPartial === true;
  const shared = { name: label, stroke: color, strokeWidth: 2, isAnimationActive: false, type: "linear" } as const;
  const isAlone = (index: number): boolean => (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
  const dot = ({ cx, cy, index, value }: DotItemDotProps): ReactNode =>
    value !== null && value !== undefined && isAlone(index) ? <circle key={index} cx={cx} cy={cy} r={3} fill={color} /> : <g key={index} />;
  return [
    <Line
      key={id}
      {...shared}
      dot={dot}
      activeDot={{ r: 4, stroke: "var(--color-surface)" }}
      dataKey={({ slot, cells }: ChartRow) => (isOpen && slot === slots[last] && !isAlone(last) ? null : cells[at])}
    />,
    ...(isOpen
      ? [
          <Line
            key={`${id}-open`}
            {...shared}
            dot={false}
            strokeDasharray="4 4"
            activeDot={{ r: 4, stroke: "var(--color-surface)" }}
            dataKey={({ slot, cells }: ChartRow) => (slot === slots[last] || slot === slots[last - 1] ? cells[at] : null)}
          />,
        ]
      : []),
  ];
}
