import { BREAKPOINTS, type DataColumn } from "./data-column.ts";

/** The width that the growing column keeps before another column is added. */
const COMFORTABLE_PX = 120;

/**
 * The columns to omit, so that the others fit into this many pixels. Columns for wider windows are omitted first. Columns that the user has
 * selected stay. A column that the user has widened displaces no other column: the table scrolls horizontally instead.
 */
export function omitColumns<Row>(
  columns: readonly DataColumn<Row>[],
  chosen: Readonly<Record<string, boolean>>,
  room: number,
): readonly string[] {
  const omitted: string[] = [];
  const candidates = columns.filter(({ id, from, isFixed }) => from !== undefined && !isFixed && chosen[id] === undefined);
  const leastNeeded = candidates.toReversed().toSorted((a, b) => rank(b) - rank(a));
  let needed = columns.reduce((sum, { width, grows }) => sum + (grows ? Math.max(width, COMFORTABLE_PX) : width), 0);
  for (const { id, width } of leastNeeded) {
    if (needed <= room) break;
    omitted.push(id);
    needed -= width;
  }
  return omitted;
}

function rank<Row>({ from }: DataColumn<Row>): number {
  return from === undefined ? -1 : BREAKPOINTS.indexOf(from);
}
