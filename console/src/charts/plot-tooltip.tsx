import type { ReactNode } from "react";
import type { Series, Slot } from "./chart-data.ts";
import { Swatch } from "./legend.tsx";

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
export function PlotTooltip({ slot, ...props }: PlotTooltipProps): ReactNode {
  return <div role="status">{slot && <Content {...props} slot={slot} />}</div>;
}

function Content({ slot, at, series, isStack, format, hint }: PlotTooltipProps & { readonly slot: Slot }): ReactNode {
  const stacked = series.filter(({ id }) => id !== "previous");
  const total = stacked.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
  // Those without a value in this slot would only fill a stack's list.
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
