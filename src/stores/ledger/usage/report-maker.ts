import { TopN } from "../../../lib/collections/top-n.ts";
import { NO_NAME } from "../../../money/attribution.ts";
import {
  isOfNone,
  type AttributedUsage,
  type LargestGroups,
  type RankedMeasure,
  type UsagePosition,
  type UsageReport,
  type UsageReportQuery,
  type UsageRow,
} from "../ledger-record-store.ts";
import { noFigures, toMeasures, usesIn, type Figures } from "./figures.ts";
import type { ReportGroups } from "./report-groups.ts";
import { EVERYBODY } from "./series.ts";
import type { Sums } from "./sums.ts";

const GROUPS_AT_ONCE = 1000;
const ONLY_NONE = [NO_NAME];

/** Sums, and their groups. */
export interface GroupedSums {
  readonly groups: ReportGroups;
  readonly sums: Sums;
}

/** The sums of the buckets of a query, which are read in order. */
export interface BucketSums {
  between(fromMs: number, toMs: number): Promise<GroupedSums>;
}

/** The usage as of one moment, in either database. */
export interface UsageSource {
  /** All usage that a query is about, with or without names. If the query groups by name, it is in the groups of `none`. */
  ofAll(query: UsageReportQuery): BucketSums;
  /** The usage with a name, or with one of the names in the query. */
  ofNames(query: UsageReportQuery, wanted: AttributedUsage): BucketSums;
  /** Yields to the event loop if the work has lasted long. Throws `CallerGone` when the caller has disconnected. */
  yieldIfDue(): Promise<void>;
}

/** A candidate row. Names are resolved only when needed: a report may have very many candidates. */
class Candidate implements UsagePosition {
  readonly fromMs: number;
  readonly #of: GroupedSums;
  readonly #place: number;

  constructor(fromMs: number, of: GroupedSums, place: number) {
    this.fromMs = fromMs;
    this.#of = of;
    this.#place = place;
  }

  get names(): readonly string[] {
    return this.#of.groups.namesOf(this.#of.sums.groupAt(this.#place));
  }

  get figures(): Figures {
    return this.#of.sums.figuresAt(this.#place);
  }

  /** Orders by cost, highest first. */
  compareCosts(other: Candidate): number {
    return this.#of.sums.compareCosts(this.#place, other.#of.sums, other.#place);
  }

  /** Orders by a measure, highest first, then by cost. */
  compareMeasures(other: Candidate, measure: RankedMeasure): number {
    return this.#of.sums.compareMeasures(this.#place, other.#of.sums, other.#place, measure);
  }
}

/** The usage that a query adds up: all usage, the usage with names, or both. If both, the rest of all usage is in `none`. */
interface Parts {
  readonly all: BucketSums | undefined;
  readonly named: BucketSums | undefined;
  /** Whether usage with names has rows. */
  readonly showsNames: boolean;
  readonly by: UsageReportQuery["by"];
}

/** Makes a usage report: groups, order, pages and the total. */
export class ReportMaker {
  readonly #source: UsageSource;
  readonly #query: UsageReportQuery;

  constructor(source: UsageSource, query: UsageReportQuery) {
    this.#source = source;
    this.#query = query;
  }

  async report(): Promise<UsageReport> {
    const { bounds, after, accountId, limit = Infinity } = this.#query;
    // A query for the impossible account "" must not return the sums of all accounts.
    if (accountId === EVERYBODY) return { rows: [], total: toMeasures(noFigures()) };
    const parts = this.#partsOf(this.#query);
    const largest = this.#query.largest && (await this.#findLargest(this.#query.largest));
    const first = after
      ? Math.max(
          0,
          bounds.findLastIndex((bound) => bound <= after.fromMs),
        )
      : 0;
    const rows: UsageRow[] = [];
    const seen = noFigures();
    let at = first;
    for (; at < bounds.length - 1 && rows.length < limit; at++) {
      const sums = await this.#sum(bounds[at]!, bounds[at + 1]!, parts);
      rows.push(...(await this.#rowsOf(bounds[at]!, sums, limit - rows.length, seen, largest)));
    }
    const isAll = first === 0 && at === bounds.length - 1;
    return { rows, total: toMeasures(isAll ? seen : await this.#total()) };
  }

  /** The first rows of a bucket after the position. Adds all rows of the bucket to `seen`. There may be very many. */
  async #rowsOf(
    fromMs: number,
    found: readonly GroupedSums[],
    limit: number,
    seen: Figures,
    largest?: readonly (readonly string[])[],
  ): Promise<UsageRow[]> {
    const { after, isCostliestFirst = false } = this.#query;
    const others = noFigures();
    const first = new TopN<Candidate>(limit, isCostliestFirst ? compareByCost : comparePositions);
    for (const each of found) {
      const { groups, sums } = each;
      const shown = largest && new Set(largest.map((names) => groups.withNames(names)));
      for (let begin = 0; begin < sums.size; begin += GROUPS_AT_ONCE) {
        for (let place = begin; place < Math.min(begin + GROUPS_AT_ONCE, sums.size); place++) {
          if (sums.usesAt(place) === 0) continue;
          sums.addTo(seen, place);
          if (shown && !shown.has(sums.groupAt(place))) {
            sums.addTo(others, place);
            continue;
          }
          const candidate = new Candidate(fromMs, each, place);
          if (!after || comparePositions(candidate, after) > 0) first.add(candidate);
        }
        await this.#source.yieldIfDue();
      }
    }
    const rows = [...first.inOrder(), ...(usesIn(others, 0) > 0 ? [{ names: [], figures: others }] : [])];
    return rows.map(({ names, figures }) => ({ fromMs, names, ...toMeasures(figures) }));
  }

  /** The names of the largest groups over the whole time. */
  async #findLargest({ count, by }: LargestGroups): Promise<readonly (readonly string[])[]> {
    const { bounds } = this.#query;
    const [fromMs, toMs] = [bounds[0]!, bounds.at(-1)!];
    const top = new TopN<Candidate>(count, (one, other) => one.compareMeasures(other, by) || comparePositions(one, other));
    for (const found of await this.#sum(fromMs, toMs, this.#partsOf({ ...this.#query, bounds: [fromMs, toMs] }))) {
      for (let place = 0; place < found.sums.size; place++) {
        if (found.sums.usesAt(place) > 0) top.add(new Candidate(fromMs, found, place));
      }
      await this.#source.yieldIfDue();
    }
    return top.inOrder().map(({ names }) => names);
  }

  async #total(): Promise<Figures> {
    const { bounds } = this.#query;
    const [fromMs, toMs] = [bounds[0]!, bounds.at(-1)!];
    const found = await this.#sum(fromMs, toMs, this.#partsOf({ ...this.#query, bounds: [fromMs, toMs], by: [] }));
    const total = noFigures();
    for (const { sums } of found) for (let place = 0; place < sums.size; place++) sums.addTo(total, place);
    return total;
  }

  async #sum(fromMs: number, toMs: number, { all, named, showsNames, by }: Parts): Promise<GroupedSums[]> {
    const [ofAll, ofNames] = [await all?.between(fromMs, toMs), await named?.between(fromMs, toMs)];
    if (ofAll && ofNames) subtract(ofAll, ofNames, by);
    return [...(ofAll ? [ofAll] : []), ...(ofNames && showsNames ? [ofNames] : [])];
  }

  #partsOf(query: UsageReportQuery): Parts {
    const { attributed, by } = query;
    if (!attributed || (!attributed.names && !by.includes("attributed")))
      return { all: this.#source.ofAll(query), named: undefined, showsNames: false, by };
    const named = this.#source.ofNames(query, attributed);
    if (!attributed.names) return { all: this.#source.ofAll(query), named, showsNames: true, by };
    if (isOfNone(attributed)) return { all: this.#source.ofAll(query), named, showsNames: false, by };
    return { all: undefined, named, showsNames: true, by };
  }
}

/** Subtracts the usage with a name from the rows of `none`. */
function subtract(ofAll: GroupedSums, { groups, sums }: GroupedSums, by: UsageReportQuery["by"]): void {
  const nameAt = by.indexOf("attributed");
  // There is one row, and as many groups as names: the groups need not be named.
  if (nameAt === 0 && by.length === 1) return ofAll.sums.subtractAll(ofAll.groups.withNames(ONLY_NONE), sums);
  for (let place = 0; place < sums.size; place++) {
    const names = groups.namesOf(sums.groupAt(place));
    ofAll.sums.subtractSum(ofAll.groups.withNames(nameAt < 0 ? names : names.with(nameAt, NO_NAME)), sums, place);
  }
}

function compareByCost(one: Candidate, other: Candidate): number {
  return one.compareCosts(other) || comparePositions(one, other);
}

function comparePositions(one: UsagePosition, other: UsagePosition): number {
  if (one.fromMs !== other.fromMs) return one.fromMs - other.fromMs;
  const at = one.names.findIndex((name, index) => name !== other.names[index]);
  return at < 0 ? 0 : one.names[at]! < other.names[at]! ? -1 : 1;
}
