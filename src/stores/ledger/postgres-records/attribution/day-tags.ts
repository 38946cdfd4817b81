import { OTHER_NAMES, tagOf, type AttributionDimension } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import { DayNames } from "../../usage/names/day-names.ts";
import { MAX_TAG_NAMES } from "../../usage/names/tag-names.ts";
import type { UsageEvent } from "../../usage/usage-event.ts";
import { dayOf } from "./read-day-names.ts";

/** Finds tags of a day by the sums in its slot. */
const READ = `select wanted.account_id, wanted.day::integer as day, owners.dimension
  from unnest($1::text[], $2::bigint[]) as wanted(account_id, day)
  join attribution_owners as owners on owners.account_id = wanted.account_id and owners.dimension like 'tag:%'
  where exists (select from attribution_cells as rows where rows.owner = owners.id and rows.grain = 'day' and rows.slot = wanted.day)`;

/** The tags of accounts that have rollups on a day: only the first tags, up to a limit, because clients choose the names of tags. */
export class DayTags {
  readonly #days: DayNames;

  private constructor(days: DayNames) {
    this.#days = days;
  }

  /** Reads the tags in the rollups on the days of these events. */
  static async read(connection: PostgresConnection, events: readonly UsageEvent[]): Promise<DayTags> {
    const wanted = new Map<string, { accountId: string; day: number }>();
    for (const { accountId, atMs, attribution } of events) {
      if (attribution?.tags) wanted.set(`${dayOf(atMs)}/${accountId}`, { accountId, day: dayOf(atMs) });
    }
    const tags = new Map([...wanted.keys()].map((key): [string, string[]] => [key, []]));
    const pairs = [...wanted.values()];
    const parameters = [pairs.map(({ accountId }) => accountId), pairs.map(({ day }) => day)];
    const rows = pairs.length === 0 ? [] : await connection.query<{ account_id: string; day: number; dimension: string }>(READ, parameters);
    for (const row of rows) tags.get(`${row.day}/${row.account_id}`)!.push(row.dimension);
    return new DayTags(
      new DayNames(
        (accountId, day) => tags.get(`${day}/${accountId}`) ?? [],
        () => MAX_TAG_NAMES,
      ),
    );
  }

  /** Whether to add usage in a dimension to the rollups. */
  admits({ accountId, atMs }: UsageEvent, dimension: AttributionDimension): boolean {
    return tagOf(dimension) === undefined || this.#days.admit(accountId, dayOf(atMs), dimension) !== OTHER_NAMES;
  }

  /** Whether usage in a dimension was added to the rollups. */
  has({ accountId, atMs }: UsageEvent, dimension: AttributionDimension): boolean {
    return tagOf(dimension) === undefined || this.#days.find(accountId, dayOf(atMs), dimension) !== OTHER_NAMES;
  }
}
