import { memo, type ReactNode } from "react";
import type { ChartData } from "./chart-data.ts";
import type { Layout } from "./layout.ts";

/** So many pixels for each label of the x axis. */
const LABEL_WIDTH = 64;

/** The grid and the labels of both axes. */
export const Axes = memo(function Axes({ layout, data }: { readonly layout: Layout; readonly data: ChartData }): ReactNode {
  const { left, step, bottom, ticks, y, width } = layout;
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  const right = left + step * data.slots.length;
  return (
    <g fontSize={12} fill="var(--color-ink-3)" aria-hidden>
      {ticks.map(({ value, label }) => (
        <g key={value}>
          <line
            x1={left}
            x2={right}
            y1={y(value)}
            y2={y(value)}
            stroke={`var(--color-line${value === 0 ? "-strong" : ""})`}
            strokeWidth={value === 0 ? 0.5 : 1}
          />
          <text x={left - 6} y={y(value) + 4} textAnchor="end">
            {label}
          </text>
        </g>
      ))}
      {data.slots.map(({ name, tick }, at) =>
        at % every === 0 ? (
          <text key={name} x={Math.min(Math.max(left + (at + 0.5) * step, 18), width - 18)} y={bottom + 17} textAnchor="middle">
            {tick}
          </text>
        ) : null,
      )}
    </g>
  );
});
