import type { ReactNode } from "react";
import { ChartPlaceholder } from "../../charts/chart-placeholder.tsx";
import { classes } from "../../parts/classes.ts";

export interface TopRow {
  readonly id: string;
  /** A link to the resource, or to its requests. */
  readonly name: ReactNode;
  readonly value: string;
  readonly note?: string;
  /** The length of the bar, from 0 to 1. */
  readonly share: number;
}

interface TopListProps {
  readonly title: string;
  /** The unit of all values. */
  readonly unit: string;
  readonly rows: readonly TopRow[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isStale: boolean;
  readonly empty: string;
}

/** The top entries of a ranking, with bars. */
export function TopList({ title, unit, rows, error, retry, isStale, empty }: TopListProps): ReactNode {
  return (
    <section aria-label={title} className="card min-w-0 overflow-hidden">
      <header className="flex items-baseline justify-between gap-3 px-4 pt-3 pb-1">
        <h2 className="text-sm text-ink-3">{title}</h2>
        <p className="text-sm text-ink-3">{unit}</p>
      </header>
      <div className={classes("min-h-56 pb-2 transition-opacity", isStale && "opacity-60")}>
        {rows && rows.length > 0 ? (
          <ol>
            {rows.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </ol>
        ) : (
          <div className="h-56">{rows ? <ChartPlaceholder text={empty} /> : <ChartPlaceholder error={error} retry={retry} />}</div>
        )}
      </div>
    </section>
  );
}

function Row({ row: { name, value, note, share } }: { readonly row: TopRow }): ReactNode {
  return (
    <li className="relative flex h-9 items-center gap-4 px-4 hover:bg-hover">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {note && <span className="figures text-sm whitespace-nowrap text-ink-3 max-sm:hidden">{note}</span>}
      <span className="figures text-right whitespace-nowrap">{value}</span>
      <span
        aria-hidden
        className="absolute bottom-0.5 left-4 h-0.5 rounded-sm bg-series-1"
        style={{ width: `calc((100% - 2rem) * ${share})` }}
      />
    </li>
  );
}
