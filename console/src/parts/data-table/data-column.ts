import type { ReactNode } from "react";

export const BREAKPOINTS = ["sm", "md", "lg", "xl", "2xl"] as const;
export type Breakpoint = (typeof BREAKPOINTS)[number];

/** A column of a data table. Pass the same objects on every render: rows render again when their columns change. */
export interface DataColumn<Row> {
  /** Its name in stored settings and in the URL. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** In pixels, until somebody resizes it. For the growing column the minimum. */
  readonly width: number;
  /** Takes the rest of the width, and cannot be resized. One column of a table. */
  readonly grows?: boolean;
  /** Right-aligned with tabular figures. */
  readonly figures?: boolean;
  /** The breakpoint from which it is shown, unless somebody has chosen otherwise. */
  readonly from?: Breakpoint;
  /** Shown only where somebody has chosen it. */
  readonly isOptional?: boolean;
  /**
   * Its text. In a list, a column with a text is as wide as the longest one needs, up to `width`, so that the growing column has the rest. It
   * is omitted where no row has any.
   */
  readonly text?: (row: Row) => string;
  /** Cannot be hidden: the column with the link of the row. */
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

/** The sort after a click on a header: the other direction where it is sorted by it already. */
export function nextSort({ id, sorts }: Pick<DataColumn<never>, "id" | "sorts">, sort: Sort | undefined): Sort {
  if (sort?.column !== id) return { column: id, direction: sorts ?? "ascending" };
  return { column: id, direction: sort.direction === "ascending" ? "descending" : "ascending" };
}
