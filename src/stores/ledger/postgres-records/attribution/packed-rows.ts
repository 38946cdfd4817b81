import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { EncodedCells } from "../../usage/cells.ts";
import { FIGURE_COUNT, type Figures } from "../../usage/figures.ts";
import type { Granularity } from "../../usage/granularity.ts";
import type { TimeSlicer } from "../../usage/time-slicer.ts";
import { mergeCells } from "./merge-cells.ts";

/**
 * The number of names of an owner whose sums share one row, which is read and written as a whole. In a long slot most names have sums, and
 * a report about one name should not have to read many others. In a quarter hour few names have sums, and more rows would have more
 * overhead than sums.
 */
export const NAMES_IN_ROW: Readonly<Record<Granularity, number>> = { quarter: 1024, hour: 1024, day: 256, five_days: 256, month: 256 };

/** Identifies the row of a sum. */
interface RowKey {
  readonly owner: number;
  readonly granularity: Granularity;
  readonly slot: number;
  /** The part of the names: the names from `part * NAMES_IN_ROW` on. */
  readonly part: number;
}

/** The number of a cell in its row, from the name and the key. */
export function cellOf(granularity: Granularity, name: number, key: number): number {
  const size = NAMES_IN_ROW[granularity];
  return key * size + (name % size);
}

/** The name of a cell. */
export function nameOfCell(granularity: Granularity, part: number, cell: number): number {
  const size = NAMES_IN_ROW[granularity];
  return part * size + (cell % size);
}

/** Sums to add to a row. */
export interface AddedRow extends RowKey {
  readonly cells: Map<number, Figures>;
}

const ROW_AT_ONCE = 500;

const KEYS = "unnest($1::integer[], $2::text[], $3::bigint[], $4::integer[])";

/** `offset 0` forces one index search for each row. */
const READ = `select wanted.place::integer as place, found.cells, found.figures
  from ${KEYS} with ordinality as wanted(owner, grain, slot, part, place), lateral (select cells, figures from attribution_cells as rows
    where rows.owner = wanted.owner and rows.grain = wanted.grain and rows.slot = wanted.slot and rows.part = wanted.part offset 0) as found`;

const WRITE = `insert into attribution_cells (owner, grain, slot, part, cells, figures)
  select *, ${FIGURE_COUNT} from unnest($1::integer[], $2::text[], $3::bigint[], $4::integer[], $5::bytea[])
  on conflict (owner, grain, slot, part) do update set cells = excluded.cells, figures = excluded.figures`;

/** Adds sums to the rows. Only one process may do this at a time. */
export async function addToRows(connection: PostgresConnection, added: readonly AddedRow[], slicer: TimeSlicer): Promise<void> {
  for (let from = 0; from < added.length; from += ROW_AT_ONCE) {
    const some = added.slice(from, from + ROW_AT_ONCE);
    const keys = columnsOf(some);
    const stored = new Map<number, EncodedCells>();
    for (const { place, ...cells } of await connection.query<EncodedCells & { place: number }>(READ, keys)) stored.set(place - 1, cells);
    const encoded: Uint8Array[] = [];
    for (const [at, { cells }] of some.entries()) {
      encoded.push(mergeCells(stored.get(at), cells));
      await slicer.yieldIfDue();
    }
    await connection.query(WRITE, [...keys, encoded]);
  }
}

function columnsOf(rows: readonly RowKey[]): unknown[] {
  return [
    rows.map(({ owner }) => owner),
    rows.map(({ granularity }) => granularity),
    rows.map(({ slot }) => slot),
    rows.map(({ part }) => part),
  ];
}
