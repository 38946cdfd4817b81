import type { ReactNode } from "react";
import type { ChartData, Series } from "./chart-data.ts";
import type { Layout } from "./layout.ts";

const DASHED = "4 4";

/** Lines with gaps where there is no data. The last part is dashed where the last slot is incomplete. */
export function LineMarks({ layout, data: { series, slots } }: { readonly layout: Layout; readonly data: ChartData }): ReactNode {
  const last = slots.length - 1;
  const isOpen = slots[last]?.isPartial === true;
  return series.map(({ id, color, values }) => (
    <g key={id} fill="none" stroke={color} strokeWidth={2} data-series={id}>
      <path d={lineOf(isOpen ? values.slice(0, last) : values, layout)} />
      {isOpen && <path d={lineOf(values, layout, last - 1)} strokeDasharray={DASHED} />}
      {values.map((value, at) =>
        value !== null && isAlone(values, at) ? (
          <circle key={at} cx={xOf(at, layout)} cy={layout.y(value)} r={3} fill={color} stroke="none" />
        ) : null,
      )}
    </g>
  ));
}

/** The values of the previous period. */
export function PreviousLine({ layout, of }: { readonly layout: Layout; readonly of: Series }): ReactNode {
  return (
    <path d={lineOf(of.values, layout)} fill="none" stroke={of.color} strokeWidth={1.5} strokeDasharray={DASHED} data-series={of.id} />
  );
}

function lineOf(values: readonly (number | null)[], layout: Layout, from = 0): string {
  return values
    .map((value, at) => {
      if (value === null || at < from) return "";
      const isStart = at === from || (values[at - 1] ?? null) === null;
      return `${isStart ? "M" : "L"}${Math.round(xOf(at, layout) * 10) / 10} ${Math.round(layout.y(value) * 10) / 10}`;
    })
    .join("");
}

function xOf(at: number, { left, step }: Layout): number {
  return (at + 0.5) * step + left;
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  return (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
}
