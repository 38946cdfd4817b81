import { dimensionsOf, nameIn, OTHER_NAMES, tagOf, type AttributionDimension } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { AttributionOverflows } from "../../ledger-record-store.ts";
import type { DayNames } from "../../usage/names/day-names.ts";
import { addFigures, type Figures } from "../../usage/figures.ts";
import { ATTRIBUTED_GRANULARITIES, GRANULARITY_MS, type Granularity } from "../../usage/granularity.ts";
import { TimeSlicer } from "../../usage/time-slicer.ts";
import type { UsageEvent } from "../../usage/usage-event.ts";
import { readAttributedEvents } from "./attributed-events.ts";
import { storeDayLimits } from "./day-limits.ts";
import { DayTags } from "./day-tags.ts";
import { nameOfKey } from "./key-names.ts";
import { NumberedNames } from "./numbered-names.ts";
import { KEYS, Owners, type Owner } from "./owners.ts";
import { addToRows, cellOf, NAMES_IN_ROW, type AddedRow } from "./packed-rows.ts";
import { dayOf, daysIn, readDayNames } from "./read-day-names.ts";

/** The usage of a request in one dimension. */
interface NamedUse {
  readonly event: UsageEvent;
  readonly owner: Owner;
  readonly keys: Owner;
  readonly name: string;
}

/** The maximum number of parts of an owner in one slot. */
const MAX_PARTS = 2 ** 20;

/** Rows by slot and part. */
type RowsInSlots = Map<number, AddedRow>;

/** For each owner, rows in the order of the granularities. */
type RowsByOwner = Map<Owner, RowsInSlots[]>;

type Overflows = { -readonly [Kind in keyof AttributionOverflows]: number };

/**
 * Adds the usage of entries to the rollups by end user, conversation and tag. Returns the number of requests beyond the limits. Only one
 * process may run this at a time. Each call reads everything again, because another process may have added entries or erased names
 * meanwhile.
 */
export async function addAttributedUsage(
  connection: PostgresConnection,
  asOfId: number,
  toId: number,
  namesPerDay: number,
): Promise<AttributionOverflows> {
  const overflows: Overflows = { user: 0, conversation: 0, tag: 0 };
  const events = await readAttributedEvents(connection, "entries", ["id > $1", "id <= $2"], [asOfId, toId]);
  if (events.length === 0) return overflows;
  const slicer = new TimeSlicer();
  const owners = await Owners.read(connection, [...new Set(events.map(({ accountId }) => accountId))]);
  const uses = findUses(events, owners, await DayTags.read(connection, events), overflows);
  await slicer.yieldIfDue();
  const numbered = await NumberedNames.read(connection, namesIn(uses));
  await slicer.yieldIfDue();
  await storeDayLimits(connection, [...new Set(events.map(({ atMs }) => dayOf(atMs)))], namesPerDay);
  const days = await readDayNames(connection, daysIn(uses), numbered, namesPerDay);
  const rows = await addUp(uses, numbered, days, slicer, overflows);
  await owners.save(connection);
  await numbered.save(connection);
  await addToRows(connection, rows, slicer);
  return overflows;
}

function findUses(events: readonly UsageEvent[], owners: Owners, tags: DayTags, overflows: Overflows): NamedUse[] {
  const uses: NamedUse[] = [];
  for (const event of events) {
    const { accountId, attribution } = event;
    const keys = owners.assign(accountId, KEYS);
    for (const dimension of dimensionsOf(attribution!)) {
      if (tags.admits(event, dimension)) {
        uses.push({ event, owner: owners.assign(accountId, dimension), keys, name: nameIn(attribution!, dimension)! });
      } else overflows.tag++;
    }
  }
  return uses;
}

function namesIn(uses: readonly NamedUse[]): Map<Owner, Set<string>> {
  const names = new Map<Owner, Set<string>>();
  const add = (owner: Owner, name: string): void => {
    const some = names.get(owner);
    if (some) some.add(name);
    else names.set(owner, new Set([name]));
  };
  for (const { event, owner, keys, name } of uses) {
    add(owner, name);
    add(keys, nameOfKey(event));
  }
  return names;
}

async function addUp(
  uses: readonly NamedUse[],
  numbered: NumberedNames,
  days: DayNames,
  slicer: TimeSlicer,
  overflows: Overflows,
): Promise<AddedRow[]> {
  const rows: RowsByOwner = new Map();
  for (const { event, owner, keys, name: given } of uses) {
    const name = days.admit(String(owner.id), dayOf(event.atMs), given);
    if (name === OTHER_NAMES) overflows[kindOf(owner.dimension as AttributionDimension)]++;
    const [number, key] = [numbered.assign(owner, name), numbered.assign(keys, nameOfKey(event))];
    const ofOwner = rowsOf(rows, owner);
    ATTRIBUTED_GRANULARITIES.forEach((granularity, at) => {
      addToCell(rowOf(ofOwner[at]!, owner, granularity, event.atMs, number), cellOf(granularity, number, key), event.figures);
    });
    if (slicer.isOver) await slicer.yield();
  }
  return [...rows.values()].flatMap((byGranularity) => byGranularity.flatMap((some) => [...some.values()]));
}

function rowsOf(rows: RowsByOwner, owner: Owner): RowsInSlots[] {
  let known = rows.get(owner);
  if (!known) rows.set(owner, (known = ATTRIBUTED_GRANULARITIES.map(() => new Map())));
  return known;
}

function rowOf(rows: RowsInSlots, { id }: Owner, granularity: Granularity, atMs: number, name: number): AddedRow {
  const slot = Math.floor(atMs / GRANULARITY_MS[granularity]);
  const part = Math.floor(name / NAMES_IN_ROW[granularity]);
  const place = slot * MAX_PARTS + part;
  let row = rows.get(place);
  if (!row) rows.set(place, (row = { owner: id, granularity, slot, part, cells: new Map() }));
  return row;
}

function addToCell({ cells }: AddedRow, cell: number, figures: Figures): void {
  const sums = cells.get(cell);
  if (sums) addFigures(sums, figures);
  else cells.set(cell, figures.slice());
}

function kindOf(dimension: AttributionDimension): keyof Overflows {
  return tagOf(dimension) === undefined ? (dimension as "user" | "conversation") : "tag";
}
