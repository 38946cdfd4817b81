import { dimensionsOf, nameIn, type AttributionDimension } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import { ownerOf } from "../../usage/attributed-owner.ts";
import type { Figures } from "../../usage/figures.ts";
import type { SeriesNames } from "../../usage/series.ts";
import type { UsageEvent } from "../../usage/usage-event.ts";
import { DayTags } from "./day-tags.ts";
import { NumberedNames } from "./numbered-names.ts";
import type { Owner, Owners } from "./owners.ts";
import { dayOf, daysIn, readDayNames } from "./read-day-names.ts";

/** The usage of a request, with the name that it has in reports. */
export interface NamedEvent {
  readonly atMs: number;
  readonly names: SeriesNames;
  readonly figures: Figures;
}

interface NamedUse {
  readonly event: UsageEvent;
  readonly owner: Owner;
  readonly name: string;
}

/** Names the usage in entries as the rollups do: those that they have, or will have where the entries are not in them yet. */
export async function nameEvents(
  connection: PostgresConnection,
  events: readonly UsageEvent[],
  dimension: AttributionDimension,
  owners: Owners,
  areRolled: boolean,
  namesPerDay: number,
): Promise<NamedEvent[]> {
  const tags = await DayTags.read(connection, events);
  const uses = events.flatMap((event): NamedUse[] => {
    // All tags of all events, in their order: which are within the limit of a day follows from them.
    const among = dimensionsOf(event.attribution!).filter((each) => (areRolled ? tags.has(event, each) : tags.admits(event, each)));
    if (!among.includes(dimension)) return [];
    return [{ event, owner: owners.assign(event.accountId, dimension), name: nameIn(event.attribution!, dimension)! }];
  });
  if (uses.length === 0) return [];
  const wanted = Map.groupBy(uses, ({ owner }) => owner);
  const names = new Map([...wanted].map(([owner, some]) => [owner, new Set(some.map(({ name }) => name))]));
  const numbered = await NumberedNames.read(connection, names);
  const days = await readDayNames(connection, daysIn(uses), numbered, namesPerDay);
  return uses.map(({ event: { atMs, accountId, keyId, model, figures }, owner, name: given }) => {
    const [id, day] = [String(owner.id), dayOf(atMs)];
    const name = areRolled ? days.find(id, day, given) : days.admit(id, day, given);
    return { atMs, names: { owner: ownerOf(dimension, accountId), keyId, model, name }, figures };
  });
}
