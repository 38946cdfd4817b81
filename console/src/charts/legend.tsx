import type { MouseEvent, ReactNode } from "react";
import { classes } from "../parts/classes.ts";
import type { Series } from "./chart-data.ts";

/** The colour sample of a series. */
export function Swatch({ color }: { readonly color: string }): ReactNode {
  return (
    <svg viewBox="0 0 10 10" className="size-2.5 shrink-0" aria-hidden>
      <rect width="10" height="10" rx="2" fill={color} />
    </svg>
  );
}

interface LegendProps {
  readonly series: readonly Series[];
  readonly previous: Series | undefined;
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

/** Selects the visible series: a click hides or shows one, a click with Shift shows it alone, or all again. */
export function Legend({ series, previous, hidden, onHide }: LegendProps): ReactNode {
  const choose = (id: string, { shiftKey }: MouseEvent): void => onHide(shiftKey ? solo(series, hidden, id) : toggled(hidden, id));
  return (
    <ul aria-label="Series" className="flex min-w-0 flex-wrap gap-x-1 gap-y-0.5">
      {series.map(({ id, label, color }) => (
        <li key={id} className="min-w-0">
          <button
            type="button"
            disabled={series.length === 1}
            aria-pressed={!hidden.has(id)}
            title={`${label}: click to hide or show, Shift-click to show alone`}
            onClick={(event) => choose(id, event)}
            className={classes("max-w-60 min-w-0 rounded-sm px-1 py-0.5 hover:bg-hover hover:text-ink", hidden.has(id) && "line-through")}
          >
            <Name label={label} color={hidden.has(id) ? "var(--color-line-strong)" : color} />
          </button>
        </li>
      ))}
      {previous && (
        <li className="flex items-center gap-1.5 px-1 py-0.5">
          <svg viewBox="0 0 16 10" className="h-2.5 w-4 shrink-0" aria-hidden>
            <path d="M0 5h16" stroke={previous.color} strokeWidth="1.5" strokeDasharray="4 2" />
          </svg>
          {previous.label}
        </li>
      )}
    </ul>
  );
}

function Name({ label, color }: Pick<Series, "label" | "color">): ReactNode {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Swatch color={color} />
      <span className="truncate">{label}</span>
    </span>
  );
}

function toggled(hidden: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return hidden.has(id) ? new Set([...hidden].filter((each) => each !== id)) : new Set([...hidden, id]);
}

function solo(series: readonly Series[], hidden: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const others = series.filter((each) => each.id !== id).map((each) => each.id);
  const isAlone = !hidden.has(id) && others.every((each) => hidden.has(each));
  return new Set(isAlone ? [] : others);
}
