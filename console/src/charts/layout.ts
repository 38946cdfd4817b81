import type { ChartData } from "./chart-data.ts";
import { stack, ticksFor, type Segment } from "./stack.ts";

/** The places of everything in a chart, in pixels. */
export interface Layout {
  readonly width: number;
  /** The left edge of the first slot, and the width of each. */
  readonly left: number;
  readonly step: number;
  readonly top: number;
  readonly bottom: number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** The place of a value. */
  readonly y: (value: number) => number;
  /** The bars of each series; none for lines. */
  readonly segments: readonly (readonly Segment[])[];
}

const TOP = 8;
const BOTTOM = 24;
const RIGHT = 10;
/** Of a digit in the font of the labels. */
const DIGIT = 6.8;

export function layOut(
  data: ChartData,
  kind: "bars" | "lines",
  { width, height }: { readonly width: number; readonly height: number },
  { formatAxis, isWhole }: { readonly formatAxis: (value: number) => string; readonly isWhole: boolean },
): Layout {
  const segments = kind === "bars" ? stack(data.series, data.slots.length) : [];
  const values = [
    ...segments.flatMap((each) => each.map(({ to }) => to)),
    ...(kind === "bars" ? [] : data.series.flatMap((series) => series.values.map((value) => value ?? 0))),
    ...(data.previous?.values.map((value) => value ?? 0) ?? []),
  ];
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [0, 0]);
  const ticks = ticksFor(least, most, isWhole).map((value) => ({ value, label: formatAxis(value) }));
  const left = 8 + Math.max(...ticks.map(({ label }) => label.length)) * DIGIT;
  const [first, last] = [ticks[0]!.value, ticks.at(-1)!.value];
  const bottom = height - BOTTOM;
  return {
    width,
    left,
    step: (width - left - RIGHT) / data.slots.length,
    top: TOP,
    bottom,
    ticks,
    y: (value) => bottom - ((value - first) / (last - first)) * (bottom - TOP),
    segments,
  };
}

/** The slot at a place of the x axis. */
export function slotAt({ left, step, width }: Layout, x: number): number | undefined {
  const at = Math.floor((x - left) / step);
  return at >= 0 && at < Math.round((width - left - RIGHT) / step) ? at : undefined;
}

/** The series whose bar is at a place of a slot. */
export function seriesAt({ segments, y }: Layout, { series }: ChartData, slot: number, at: number): string | undefined {
  const found = segments.findIndex((each) => {
    const { from, to } = each[slot]!;
    return from !== to && at <= Math.max(y(from), y(to)) && at >= Math.min(y(from), y(to));
  });
  return series[found]?.id;
}
