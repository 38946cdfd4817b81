import { BREAKPOINTS, type DataColumn } from "./data-column.ts";

/** So much is left to the growing column, before a column is added at its expense. */
const COMFORTABLE_PX = 120;

/**
 * The columns to omit, so that the others fit into so many pixels: those for wider windows first. Columns that somebody has chosen
 * stay, and a column that somebody has widened displaces no other: the table scrolls sideways instead.
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
