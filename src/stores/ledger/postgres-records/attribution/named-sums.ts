import { type AttributionDimension, dimensionsOf, nameIn } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { UsageReportQuery } from "../../ledger-record-store.ts";
import { readCells } from "../../usage/cells.ts";
import { ATTRIBUTED_GRANULARITIES } from "../../usage/granularity.ts";
import type { ReportGroups } from "../../usage/report-groups.ts";
import { EVERYBODY, type SeriesNames } from "../../usage/series.ts";
import { Sums } from "../../usage/sums.ts";
import type { TimeSlicer } from "../../usage/time-slicer.ts";
import { Parameters } from "../parameters.ts";
import { splitByRollupCoverage } from "../split-by-rollup-coverage.ts";
import type { RollupProgress } from "../rollup-progress.ts";
import { divideBuckets, type QuarterPart } from "../usage-parts.ts";
import { entriesInParts } from "../usage-sources.ts";
import { readAttributedEvents } from "./attributed-events.ts";
import type { SumsByBucket } from "./buckets-ahead.ts";
import { slotRangesOf } from "./slot-ranges.ts";
import { NamedCells, type CellRow } from "./named-cells.ts";
import type { Owners, Owner } from "./owners.ts";
import { ownerOf } from "../../usage/attributed-owner.ts";
import type { Figures } from "../../usage/figures.ts";
import type { UsageEvent } from "../../usage/usage-event.ts";
import { DayTags } from "./day-tags.ts";
import { NumberedNames } from "./numbered-names.ts";
import { dayOf, daysIn, readDayNames } from "./read-day-names.ts";

/** The last entry in the rollups by name. */
export interface NamedProgress {
  readonly named: RollupProgress;
  /** The maximum number of end users, of conversations and of values of a tag, for an account and day. */
  readonly namesPerDay: number;
}

interface NamedSumsOptions extends NamedProgress {
  readonly connection: PostgresConnection;
  readonly query: UsageReportQuery;
  readonly dimension: AttributionDimension;
  readonly groups: ReportGroups;
  readonly owners: Owners;
  readonly slicer: TimeSlicer;
}

/**
 * Adds up the usage with names from the rollups, from the entries in partial quarter hours, and from entries that are not in the rollups
 * yet.
 */
export class NamedSums {
  readonly #options: NamedSumsOptions;
  readonly #cells: NamedCells;
  #unrolled: Promise<readonly NamedEvent[]> | undefined;

  constructor(options: NamedSumsOptions) {
    this.#options = options;
    this.#cells = new NamedCells(options);
  }

  /** The sums of the buckets between these bounds. */
  async read(bounds: readonly number[]): Promise<SumsByBucket> {
    const { connection, query } = this.#options;
    const sums: SumsByBucket = new Map(bounds.slice(0, -1).map((bucketMs): [number, Sums] => [bucketMs, new Sums()]));
    const { intervals, parts } = divideBuckets(bounds, ATTRIBUTED_GRANULARITIES);
    const places = await splitByRollupCoverage(connection, parts, query.accountId ?? EVERYBODY);
    for (const row of await this.#cells.read(slotRangesOf([...intervals, ...places.inRollups]))) {
      this.#addRow(row, sums);
      if (this.#options.slicer.isOver) await this.#options.slicer.yield();
    }
    this.#addEvents(await this.#readParts(places.inEntries), bounds, sums);
    this.#addEvents(await (this.#unrolled ??= this.#readUnrolled()), bounds, sums);
    return sums;
  }

  #addRow(row: CellRow, sums: SumsByBucket): void {
    const groupOf = row.groups.inRow(row.granularity, row.part);
    const targets = row.targets.map(({ bucketMs, isSubtracted }) => ({ sums: sums.get(bucketMs)!, isSubtracted }));
    readCells(row, (cell, figures) => {
      const group = groupOf(cell);
      for (let at = 0; at < targets.length; at++) {
        const target = targets[at]!;
        if (target.isSubtracted) target.sums.subtract(group, figures);
        else target.sums.add(group, figures);
      }
    });
  }

  #addEvents(events: readonly NamedEvent[], bounds: readonly number[], sums: SumsByBucket): void {
    const { groups } = this.#options;
    for (const { atMs, names, figures } of events) {
      if (atMs < bounds[0]! || atMs >= bounds.at(-1)!) continue;
      const bucketMs = bounds.findLast((bound) => bound <= atMs)!;
      sums.get(bucketMs)!.add(groups.of(names), figures);
    }
  }

  async #readParts(parts: readonly QuarterPart[]): Promise<readonly NamedEvent[]> {
    if (parts.length === 0) return [];
    const { connection, dimension, owners, named, namesPerDay } = this.#options;
    const parameters = new Parameters();
    const from = entriesInParts(parts, named.asOfId, parameters);
    const events = await readAttributedEvents(connection, from, this.#conditions(parameters), parameters.values);
    return nameEvents(connection, events, dimension, owners, true, namesPerDay);
  }

  /** Reads entries of all keys, models and times, because which names of a day are within the limit depends on all of them. */
  async #readUnrolled(): Promise<readonly NamedEvent[]> {
    const { connection, dimension, owners, named, namesPerDay } = this.#options;
    const parameters = new Parameters();
    const isUnrolled = [`entries.id > ${parameters.add(named.asOfId)}`, `entries.id <= ${parameters.add(named.lastId)}`];
    const conditions = [...isUnrolled, ...this.#conditions(parameters)];
    const events = await readAttributedEvents(connection, "entries", conditions, parameters.values);
    return nameEvents(connection, events, dimension, owners, false, namesPerDay);
  }

  #conditions(parameters: Parameters): string[] {
    const { accountId } = this.#options.query;
    return accountId === undefined ? [] : [`account_id = ${parameters.add(accountId)}`];
  }
}

/** The usage of a request, with the name that it has in reports. */
interface NamedEvent {
  readonly atMs: number;
  readonly names: SeriesNames;
  readonly figures: Figures;
}

interface NamedUse {
  readonly event: UsageEvent;
  readonly owner: Owner;
  readonly name: string;
}

/** Assigns names to the usage in entries, as the rollups do: the names in the rollups, or the names that they will have there. */
async function nameEvents(
  connection: PostgresConnection,
  events: readonly UsageEvent[],
  dimension: AttributionDimension,
  owners: Owners,
  areRolled: boolean,
  namesPerDay: number,
): Promise<NamedEvent[]> {
  const tags = await DayTags.read(connection, events);
  const uses = events.flatMap((event): NamedUse[] => {
    // Includes all tags of all events, in order, because which tags are within the limit of a day depends on all of them.
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
