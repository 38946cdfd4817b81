import type { ReactNode } from "react";
import type { ChartRow, Series } from "./chart-data.ts";
import { Swatch } from "./legend.tsx";

interface PlotTooltipProps {
  readonly row: ChartRow | undefined;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** The values at the pointer or keyboard position. A live region: screen readers announce changes. */
export function PlotTooltip(props: PlotTooltipProps): ReactNode {
  return <div role="status">{props.row && <Content {...props} row={props.row} />}</div>;
}

function Content({ row, series, format }: PlotTooltipProps & { readonly row: ChartRow }): ReactNode {
  return (
    <div className="rounded-md bg-raised px-3 py-2 text-sm shadow-over">
      <p className="mb-1 font-medium whitespace-nowrap">{row.slot.title}</p>
      <dl className="grid grid-cols-[auto_auto] gap-x-4">
        {series.map(({ id, label, color }, at) => (
          <div key={id} className="contents">
            <dt className="flex items-center gap-1.5 text-ink-2">
              <Swatch color={color} />
              {label}
            </dt>
            <dd className="figures text-right">{row.cells[at] == null ? "–" : format(row.cells[at])}</dd>
          </div>
        ))}
      </dl>
      {row.slot.isPartial && <p className="mt-1 text-ink-2">Incomplete</p>}
    </div>
  );
}
