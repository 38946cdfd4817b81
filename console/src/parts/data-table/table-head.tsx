import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import { MAX_WIDTH, MIN_WIDTH, nextSort, type DataColumn, type Sort } from "./data-column.ts";
import { ResizeHandle } from "./resize-handle.tsx";
import type { TableSettings } from "./use-table-settings.ts";

interface HeadProps<Row> {
  readonly columns: readonly DataColumn<Row>[];
  readonly settings: TableSettings;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** Stays visible while the page scrolls. */
  readonly isSticky: boolean;
}

/** The header row. */
export function TableHead<Row>({
  columns,
  settings,
  sort,
  onSort,
  isSticky,
  children,
}: HeadProps<Row> & { readonly children: ReactNode }): ReactNode {
  return (
    <thead
      className={classes(
        "bg-surface text-sm text-ink-3 shadow-[inset_0_-1px_var(--color-line)]",
        isSticky && "sticky top-12 z-10 lg:top-0",
      )}
    >
      <tr aria-rowindex={1}>
        {children}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={column.sorts && onSort && (sort?.column === column.id ? sort.direction : "none")}
            className={classes("relative h-9 truncate px-3 font-medium", column.figures && "text-right")}
          >
            {column.sorts && onSort ? <SortButton column={column} sort={sort} onSort={onSort} /> : column.title}
            {!column.grows && (
              <ResizeHandle
                label={`Width of ${column.title}`}
                width={settings.widths[column.id] ?? column.width}
                min={MIN_WIDTH}
                max={MAX_WIDTH}
                onResize={(width) => settings.setWidth(column.id, width)}
                className="absolute inset-y-0 right-0 w-2.5"
              />
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface SortButtonProps<Row> {
  readonly column: DataColumn<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
}

function SortButton<Row>({ column, sort, onSort }: SortButtonProps<Row>): ReactNode {
  const direction = sort?.column === column.id ? sort.direction : undefined;
  const Icon = direction === undefined ? ChevronsUpDown : direction === "ascending" ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => onSort(nextSort(column, sort))}
      className={classes(
        "inline-flex max-w-full items-center gap-1 rounded-sm hover:text-ink focus-visible:-outline-offset-2",
        direction && "text-ink",
      )}
    >
      <span className="truncate">{column.title}</span>
      <Icon size={13} aria-hidden className="shrink-0" />
    </button>
  );
}
