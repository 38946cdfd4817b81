import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import { readCells, type EncodedCells } from "../../usage/cells.ts";
import { DayNames } from "../../usage/names/day-names.ts";
import { GRANULARITY_MS } from "../../usage/granularity.ts";
import { readDayLimits } from "./day-limits.ts";
import type { NumberedNames } from "./numbered-names.ts";
import type { Owner } from "./owners.ts";
import { nameOfCell } from "./packed-rows.ts";

/** An owner and a UTC day. */
interface OwnerDay {
  readonly owner: Owner;
  readonly day: number;
}

const READ_DAYS = `select wanted.place::integer as place, found.part, found.cells, found.figures
  from unnest($1::integer[], $2::bigint[]) with ordinality as wanted(owner, day, place), lateral (select part, cells, figures
    from attribution_cells as rows where rows.owner = wanted.owner and rows.grain = 'day' and rows.slot = wanted.day offset 0) as found`;

/**
 * The names in the rollups of some days. A name that is not in `numbered` is represented by a placeholder, which only counts towards the
 * limit.
 */
export async function readDayNames(
  connection: PostgresConnection,
  days: readonly OwnerDay[],
  numbered: NumberedNames,
  namesPerDay: number,
): Promise<DayNames> {
  const names = new Map<string, Set<string>>();
  const limitOf = await readDayLimits(connection, [...new Set(days.map(({ day }) => day))], namesPerDay);
  const parameters = [days.map(({ owner }) => owner.id), days.map(({ day }) => day)];
  for (const row of await connection.query<EncodedCells & { place: number; part: number }>(READ_DAYS, parameters)) {
    const { owner, day } = days[row.place - 1]!;
    const key = `${owner.id}/${day}`;
    const found = names.get(key) ?? new Set();
    names.set(key, found);
    readCells(row, (cell) => {
      const number = nameOfCell("day", row.part, cell);
      // A placeholder cannot equal a name: PostgreSQL stores no name with a zero character.
      found.add(numbered.nameOf(owner, number) ?? `\0${number}`);
    });
  }
  return new DayNames((owner, day) => names.get(`${owner}/${day}`) ?? [], limitOf);
}

/** The days of these uses, without duplicates. */
export function daysIn(uses: readonly { readonly event: { readonly atMs: number }; readonly owner: Owner }[]): OwnerDay[] {
  const days = new Map<string, OwnerDay>();
  for (const { event, owner } of uses) {
    const day = dayOf(event.atMs);
    days.set(`${owner.id}/${day}`, { owner, day });
  }
  return [...days.values()];
}

export function dayOf(atMs: number): number {
  return Math.floor(atMs / GRANULARITY_MS.day);
}
