import {
  memo,
  type ReactNode,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  type RefObject,
} from "react";
import { type ChartData, allSeries, type Series, type Slot } from "./chart-data.ts";
import { Swatch } from "./legend.tsx";

/** The space in pixels for each label of the x axis. */
const LABEL_WIDTH = 64;

/** The grid and the labels of both axes. */
const Axes = memo(function Axes({ layout, data }: { readonly layout: Layout; readonly data: ChartData }): ReactNode {
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
  /** Opens the requests of a slot, or of one series in it. */
  readonly onOpen?: ((slot: number, series: string | undefined) => void) | undefined;
}

const HEIGHT = 200;

/** A chart, drawn as SVG: one path for each series, whatever the number of slots. */
export const Plot = memo(function Plot(props: PlotProps): ReactNode {
  const { data, kind, summary, format, formatAxis, isWhole = false, onOpen } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const layout = useMemo(
    () => (width === 0 ? undefined : layOut(data, kind, { width, height: HEIGHT }, { formatAxis, isWhole })),
    [data, kind, width, formatAxis, isWhole],
  );
  const [at, setAt] = useState<number>();
  const last = data.slots.length - 1;
  const shown = at === undefined ? undefined : Math.min(at, last);
  const move = (event: KeyboardEvent): void => {
    const next = nextSlot(event.key, shown ?? 0, last);
    if (next !== undefined) setAt(next);
    else if (event.key === "Escape") setAt(undefined);
    else if (event.key === "Enter" && shown !== undefined) return onOpen?.(shown, undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box} className="relative h-full">
      {layout && (
        <svg
          role="application"
          aria-label={summary}
          tabIndex={0}
          width={layout.width}
          height={HEIGHT}
          className={onOpen ? "block cursor-pointer rounded-md" : "block rounded-md"}
          onPointerMove={(event) => setAt(slotAt(layout, pointIn(event).x))}
          onPointerLeave={() => setAt(undefined)}
          onFocus={(event) => event.currentTarget.matches(":focus-visible") && setAt((known) => known ?? 0)}
          onBlur={() => setAt(undefined)}
          onKeyDown={move}
          onClick={(event) => {
            const { x, y } = pointIn(event);
            const slot = slotAt(layout, x);
            if (slot !== undefined) onOpen?.(slot, seriesAt(layout, data, slot, y));
          }}
        >
          <Axes layout={layout} data={data} />
          {shown !== undefined && <Cursor layout={layout} at={shown} kind={kind} />}
          <Marks id={id} kind={kind} layout={layout} data={data} />
          {data.previous && <PreviousLine layout={layout} of={data.previous} />}
        </svg>
      )}
      {layout && (
        <Tip layout={layout} at={shown}>
          <PlotTooltip
            slot={shown === undefined ? undefined : data.slots[shown]}
            at={shown ?? 0}
            series={allSeries(data)}
            isStack={kind === "bars" && data.series.length > 1}
            format={format}
            hint={onOpen && "Click to list the requests"}
          />
        </Tip>
      )}
    </div>
  );
});

/** Unchanged while the pointer moves. */
const Marks = memo(function Marks(props: { id: string; kind: PlotProps["kind"]; layout: Layout; data: ChartData }): ReactNode {
  return props.kind === "bars" ? <BarMarks {...props} /> : <LineMarks {...props} />;
});

function Cursor({ layout, at, kind }: { readonly layout: Layout; readonly at: number; readonly kind: PlotProps["kind"] }): ReactNode {
  const { left, step, top, bottom } = layout;
  if (kind === "bars") return <rect x={left + at * step} y={top} width={step} height={bottom - top} fill="var(--color-hover)" />;
  const x = left + (at + 0.5) * step;
  return <line x1={x} x2={x} y1={top} y2={bottom} stroke="var(--color-line-strong)" />;
}

/** Placed beside the slot, on the side with more space. */
function Tip({
  layout,
  at,
  children,
}: {
  readonly layout: Layout;
  readonly at: number | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const x = layout.left + ((at ?? 0) + 0.5) * layout.step;
  const isRight = x > layout.width / 2;
  const side = isRight ? { right: layout.width - x + layout.step / 2 + 6 } : { left: x + layout.step / 2 + 6 };
  return (
    <div className="pointer-events-none absolute top-0 z-10 max-w-[70%]" style={side}>
      {children}
    </div>
  );
}

function nextSlot(key: string, at: number, last: number): number | undefined {
  if (key === "ArrowRight") return Math.min(at + 1, last);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? last : undefined;
}

function pointIn(event: Pick<PointerEvent<SVGSVGElement>, "currentTarget" | "clientX" | "clientY">): { x: number; y: number } {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

/** The width of an element in whole pixels; 0 before it is known. */
function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(of.current!);
    return () => observer.disconnect();
  }, [of]);
  return width;
}

const MAX_WIDTH = 44;
const SHARE = 0.82;

/** Stacked bars: a path for each series, and one for its incomplete slots, which are hatched, so that they do not look like a drop. */
function BarMarks({ id, layout, data }: { readonly id: string; readonly layout: Layout; readonly data: ChartData }): ReactNode {
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
      // The gap separates two colours that look alike to some people; a thin bar stays visible.
      const height = Math.max(bottom - top - (from === 0 ? 0 : 0.75), 0.75);
      return `M${round(left + (slot + 0.5) * step - width / 2)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

const DASHED = "4 4";

/** Lines with gaps where there is no data. The last part is dashed if the last slot is incomplete. */
function LineMarks({ layout, data: { series, slots } }: { readonly layout: Layout; readonly data: ChartData }): ReactNode {
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
function PreviousLine({ layout, of }: { readonly layout: Layout; readonly of: Series }): ReactNode {
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

interface PlotTooltipProps {
  readonly slot: Slot | undefined;
  /** The position of the slot. */
  readonly at: number;
  readonly series: readonly Series[];
  /** The values are parts of a whole, whose sum is shown too. */
  readonly isStack: boolean;
  readonly format: (value: number) => string;
  readonly hint?: string | undefined;
}

/** The values at the pointer or keyboard position. A live region: screen readers announce changes. */
function PlotTooltip({ slot, ...props }: PlotTooltipProps): ReactNode {
  return <div role="status">{slot && <Content {...props} slot={slot} />}</div>;
}

function Content({ slot, at, series, isStack, format, hint }: PlotTooltipProps & { readonly slot: Slot }): ReactNode {
  const stacked = series.filter(({ id }) => id !== "previous");
  const total = stacked.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
  // In a stack, series without a value in this slot would only lengthen the list.
  const shown = isStack ? series.filter(({ id, values }) => id === "previous" || (values[at] ?? 0) !== 0) : series;
  return (
    <div className="rounded-md bg-raised px-3 py-2 text-sm shadow-over">
      <p className="mb-1 font-medium whitespace-nowrap">{slot.title}</p>
      <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4">
        {isStack && <Value label="Total" value={format(total)} />}
        {shown.map(({ id, label, color, values }) => (
          <Value key={id} label={label} color={color} value={values[at] == null ? "–" : format(values[at])} />
        ))}
      </dl>
      {slot.isPartial && <p className="mt-1 text-ink-2">Incomplete</p>}
      {hint && <p className="mt-1 text-ink-3">{hint}</p>}
    </div>
  );
}

function Value({ label, color, value }: { readonly label: string; readonly color?: string; readonly value: string }): ReactNode {
  return (
    <div className="contents">
      <dt className="flex min-w-0 items-center gap-1.5 text-ink-2">
        {color && <Swatch color={color} />}
        <span className="truncate">{label}</span>
      </dt>
      <dd className="figures text-right">{value}</dd>
    </div>
  );
}

/** The positions of all elements of a chart, in pixels. */
interface Layout {
  readonly width: number;
  /** The left edge of the first slot, and the width of each. */
  readonly left: number;
  readonly step: number;
  readonly top: number;
  readonly bottom: number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** The vertical position of a value. */
  readonly y: (value: number) => number;
  /** The bars of each series; none for lines. */
  readonly segments: readonly (readonly Segment[])[];
}

const TOP = 8;
const BOTTOM = 24;
const RIGHT = 10;
/** The width of a digit in the font of the labels. */
const DIGIT = 6.8;

function layOut(
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

/** The slot at this x position. */
function slotAt({ left, step, width }: Layout, x: number): number | undefined {
  const at = Math.floor((x - left) / step);
  return at >= 0 && at < Math.round((width - left - RIGHT) / step) ? at : undefined;
}

/** The series whose bar is at this y position of a slot. */
function seriesAt({ segments, y }: Layout, { series }: ChartData, slot: number, at: number): string | undefined {
  const found = segments.findIndex((each) => {
    const { from, to } = each[slot]!;
    return from !== to && at <= Math.max(y(from), y(to)) && at >= Math.min(y(from), y(to));
  });
  return series[found]?.id;
}

/** A part of a bar: from one value of the y axis to another. */
export interface Segment {
  readonly from: number;
  readonly to: number;
}

/** The segments of each series in each slot, stacked: positive values upwards from zero, negative ones downwards. */
export function stack(series: readonly Series[], slots: number): Segment[][] {
  const tops = Array.from({ length: slots }, () => 0);
  const bottoms = Array.from({ length: slots }, () => 0);
  return series.map(({ values }) =>
    tops.map((_, at) => {
      const value = values[at] ?? 0;
      const ends = value >= 0 ? tops : bottoms;
      const from = ends[at]!;
      ends[at] = from + value;
      return { from, to: ends[at] };
    }),
  );
}

/** Round values for the y axis, from at most the least value to at least the most, with zero among them. */
export function ticksFor(least: number, most: number, isWhole: boolean): number[] {
  const span = Math.max(most, 0) - Math.min(least, 0);
  if (span === 0) return [0, 1];
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999)!;
  const whole = isWhole ? Math.max(1, Math.ceil(step)) : step;
  const [first, last] = [Math.floor(Math.min(least, 0) / whole), Math.ceil(Math.max(most, 0) / whole)];
  // Multiplied, not added up: a sum of floats such as 0.1 + 0.2 would be an ugly tick label.
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * whole).toPrecision(12)));
}
