import { MIN_WIDTH, type DataColumn } from "../data-table/data-column.ts";
import { useMemo } from "react";

/** The average width of a character in the table's font, with a small reserve. */
const CHARACTER_PX = 6.6;
/** The width of a cell without its text: the padding of the cell and of a badge. */
const CELL_PX = 38;
/** The width of a header without its title: the padding, and a small reserve. */
const HEAD_PX = 28;
const SORT_ICON_PX = 18;

/**
 * The widths of columns that fit their text, by column. Columns without any text are omitted; columns that do not fit their text keep their
 * width.
 */
export function fitColumns<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): ReadonlyMap<string, number> {
  const longest = columns.map(({ text }) => text && rows.reduce((most, row) => Math.max(most, text(row).length), 0));
  return new Map(columns.flatMap((column, at) => (longest[at] === 0 ? [] : [[column.id, fit(column, longest[at])]])));
}

function fit<Row>({ title, width, sorts }: DataColumn<Row>, characters: number | undefined): number {
  if (characters === undefined) return width;
  const head = title.length * CHARACTER_PX + HEAD_PX + (sorts ? SORT_ICON_PX : 0);
  return Math.max(MIN_WIDTH, Math.min(width, Math.ceil(Math.max(head, characters * CHARACTER_PX + CELL_PX))));
}

/** The columns that have content, with their widths. Returns the same array until one of them changes. */
export function useFittedColumns<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): readonly DataColumn<Row>[] {
  const fitted = useMemo(() => JSON.stringify([...fitColumns(columns, rows)]), [columns, rows]);
  return useMemo(() => {
    const widths = new Map(JSON.parse(fitted) as [string, number][]);
    return columns.filter(({ id }) => widths.has(id)).map((column) => ({ ...column, width: widths.get(column.id)! }));
  }, [columns, fitted]);
}
