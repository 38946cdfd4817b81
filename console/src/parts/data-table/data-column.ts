import type { Column } from "../table.tsx";

export const BREAKPOINTS = ["sm", "md", "lg", "xl", "2xl"] as const;
export type Breakpoint = (typeof BREAKPOINTS)[number];

/**
 * A column of a data table. Pass the same objects on every render: rows render again when their columns change. The user may show the
 * column below its breakpoint, too.
 */
export interface DataColumn<Row> extends Omit<Column<Row>, "className"> {
  /** The column's name in stored settings and in the URL. */
  readonly id: string;
  /** The width in pixels, until the user resizes the column. For the growing column, the minimum width. */
  readonly width: number;
  /** The column takes the remaining width, and cannot be resized. Each table has one such column. */
  readonly grows?: boolean;
  /** The column is shown only if the user has chosen it. */
  readonly isOptional?: boolean;
  /**
   * The text of a cell. In a list, a column with a text is as wide as its longest text needs, up to `width`, so that the growing column has
   * the remaining width. It is omitted if no row has any text.
   */
  readonly text?: (row: Row) => string;
  /** The column cannot be hidden: it has the link of the row. */
  readonly isFixed?: boolean;
  /** The direction of the first click on its header; without it the column cannot be sorted. */
  readonly sorts?: SortDirection;
}

export type SortDirection = "ascending" | "descending";

export interface Sort {
  readonly column: string;
  readonly direction: SortDirection;
}

export const MIN_WIDTH = 56;
export const MAX_WIDTH = 800;

export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
}

/** The sort after a click on a header: if the table is already sorted by this column, the other direction. */
export function nextSort({ id, sorts }: Pick<DataColumn<never>, "id" | "sorts">, sort: Sort | undefined): Sort {
  if (sort?.column !== id) return { column: id, direction: sorts ?? "ascending" };
  return { column: id, direction: sort.direction === "ascending" ? "descending" : "ascending" };
}
