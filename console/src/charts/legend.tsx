import type { ReactNode } from "react";
import type { Series } from "./chart-data.ts";

/** The colour sample of a series. */
export function Swatch({ color }: { readonly color: string }): ReactNode {
  return (
    <svg viewBox="0 0 10 10" className="size-2.5 shrink-0" aria-hidden>
      <rect width="10" height="10" rx="2" fill={color} />
    </svg>
  );
}

export function Legend({ series }: { readonly series: readonly Series[] }): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5">
      {series.map(({ id, label, color }) => (
        <li key={id} className="flex items-center gap-1.5">
          <Swatch color={color} />
          {label}
        </li>
      ))}
    </ul>
  );
}
