import { memo, useId, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { allSeries, type ChartData } from "./chart-data.ts";
import { Axes } from "./axes.tsx";
import { BarMarks } from "./bar-marks.tsx";
import { LineMarks, PreviousLine } from "./line-marks.tsx";
import { layOut, seriesAt, slotAt, type Layout } from "./layout.ts";
import { PlotTooltip } from "./plot-tooltip.tsx";
import { useWidth } from "./use-width.ts";

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
  /** Opens what a slot consists of, or one series of it. */
  readonly onOpen?: ((slot: number, series: string | undefined) => void) | undefined;
}

export const HEIGHT = 200;

/** A chart, drawn as SVG: one path for each series, however many slots there are. */
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

/** Beside the slot, on the side with more space. */
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
