import { Fragment, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { Paged, type PagesOf } from "./paged.tsx";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned with tabular figures. */
  readonly figures?: boolean;
  /** The breakpoint from which the column is shown. */
  readonly from?: "sm" | "md" | "lg" | "xl" | "2xl";
  readonly className?: string;
}

const FROM = { sm: "max-sm:hidden", md: "max-md:hidden", lg: "max-lg:hidden", xl: "max-xl:hidden", "2xl": "max-2xl:hidden" } as const;

/** A link that covers the whole row, so that rows can be opened in a new tab and by keyboard. */
export const rowLink =
  "font-medium text-ink after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isSelected?: (row: Row) => boolean;
  /** Shown below a row, across all columns. Undefined for rows without it. */
  readonly detail?: (row: Row) => ReactNode;
  /** Less padding, for tables with many columns. */
  readonly dense?: boolean;
  /** Contains nothing focusable: the table itself takes the focus, so that it can be scrolled by keyboard. */
  readonly isText?: boolean;
  /** Fills its container and scrolls inside it. */
  readonly fills?: boolean;
}

const PADDING = { plain: "px-4 py-2", dense: "px-3 py-1.5 text-sm" } as const;

/** A table. Long cell content is truncated. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  isSelected,
  detail,
  dense = false,
  isText = false,
  fills = false,
}: TableProps<Row>): ReactNode {
  return (
    <div
      className={classes("overflow-x-auto", fills && "h-full overflow-y-auto")}
      {...(isText && { role: "region", "aria-label": `${label} table`, tabIndex: 0 })}
    >
      <table aria-label={label} className="w-full text-left">
        <Head columns={columns} dense={dense} />
        <tbody>
          {rows.map((row) => {
            const below = detail?.(row);
            return (
              <Fragment key={keyOf(row)}>
                <tr
                  data-row={keyOf(row)}
                  className={classes(
                    "relative border-t border-line first:border-t-0 hover:bg-hover",
                    isSelected?.(row) && "bg-selected hover:bg-selected",
                  )}
                >
                  {columns.map((column) => (
                    <td key={column.title} className={classes("max-w-80 truncate", PADDING[dense ? "dense" : "plain"], looks(column))}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {below !== undefined && (
                  <tr>
                    <td colSpan={columns.length} className={classes(PADDING[dense ? "dense" : "plain"], "pt-0!")}>
                      {below}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>({ columns, dense }: Pick<TableProps<Row>, "columns" | "dense">): ReactNode {
  return (
    <thead>
      <tr className="border-b border-line text-sm text-ink-3">
        {columns.map((column) => {
          // Action columns have no heading.
          const Cell = column.title === "" ? "td" : "th";
          return (
            <Cell
              key={column.title}
              scope={column.title === "" ? undefined : "col"}
              className={classes("font-medium whitespace-nowrap", PADDING[dense ? "dense" : "plain"], looks(column))}
            >
              {column.title}
            </Cell>
          );
        })}
      </tr>
    </thead>
  );
}

function looks<Row>({ figures, from, className }: Column<Row>): string {
  return classes(figures && "figures text-right", from && FROM[from], className);
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, "rows"> {
  readonly of: PagesOf<Row>;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}

/** A paginated table. */
export function PagedTable<Row>({ of, empty, ...table }: PagedTableProps<Row>): ReactNode {
  return (
    <Paged of={of} empty={empty} loading={<LoadingRows {...table} />}>
      {(rows) => <Table {...table} rows={rows} />}
    </Paged>
  );
}

function LoadingRows<Row>({ columns, dense = false }: Pick<TableProps<Row>, "columns" | "dense">): ReactNode {
  return (
    <div role="status" aria-label="Loading">
      <table className="w-full text-left" aria-hidden>
        <Head columns={columns} dense={dense} />
        <tbody>
          {Array.from({ length: 6 }, (_, row) => (
            <tr key={row} className="border-t border-line first:border-t-0">
              {columns.map((column, at) => (
                <td key={column.title} className={classes(PADDING[dense ? "dense" : "plain"], looks(column))}>
                  <div
                    className={classes("skeleton my-1 h-3.5", column.figures && "ml-auto")}
                    style={{ width: `${70 - (((row + at) * 13) % 35)}%` }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
