import type { ReactNode } from "react";
import type { ChartData } from "./chart-data.ts";
import type { Layout } from "./layout.ts";
import type { Segment } from "./stack.ts";

const MAX_WIDTH = 44;
const SHARE = 0.82;

/** Stacked bars: a path for each series, and one for its incomplete slots, which are hatched, so that they do not read as a drop. */
export function BarMarks({ id, layout, data }: { readonly id: string; readonly layout: Layout; readonly data: ChartData }): ReactNode {
  return data.series.map(({ id: name, color }, at) => {
    const segments = layout.segments[at]!;
    const hatch = `${id}-${at}`;
    const [complete, partial] = [false, true].map((isPartial) =>
      pathOf(segments, layout, (slot) => data.slots[slot]!.isPartial === isPartial),
    );
    return (
      <g key={name}>
        {partial && (
          <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" fill={color} opacity="0.22" />
            <rect width="2" height="5" fill={color} />
          </pattern>
        )}
        {complete && <path d={complete} fill={color} data-series={name} />}
        {partial && <path d={partial} fill={`url(#${hatch})`} data-series={name} />}
      </g>
    );
  });
}

function pathOf(segments: readonly Segment[], { left, step, y }: Layout, isWanted: (slot: number) => boolean): string {
  const width = Math.min(MAX_WIDTH, step * SHARE);
  return segments
    .map(({ from, to }, slot) => {
      if (from === to || !isWanted(slot)) return "";
      const [top, bottom] = [Math.min(y(from), y(to)), Math.max(y(from), y(to))];
      // A gap tells two colours apart which look alike to some; a thin bar stays visible.
      const height = Math.max(bottom - top - (from === 0 ? 0 : 0.75), 0.75);
      return `M${round(left + (slot + 0.5) * step - width / 2)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
