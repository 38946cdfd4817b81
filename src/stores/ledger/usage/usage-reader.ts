import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { CallerGone } from "../../../requests/caller-gone.ts";
import { FirstFew } from "../../../lib/async/first-few.ts";
import type { UsagePosition, UsageReportQuery, UsageReport, UsageRow } from "../ledger-store.ts";
import { readCells } from "./cells.ts";
import { addFigures, compareCosts, noFigures, toMeasures, type Figures } from "./figures.ts";
import { GRANULARITY_MS, intervalsOf, type Granularity, type Interval } from "./granularity.ts";
import { ReportGroups, EXCLUDED } from "./report-groups.ts";
import type { RollupUpdater } from "./rollup-updater.ts";
import { extend } from "./rollup.ts";
import { EVERYBODY, type Extent } from "./series.ts";
import { BEFORE_ALL, readExtent, readRows, readRowsOf, ROWS_AT_ONCE, slotsWithRows, type KeyedRow } from "./rollup-rows.ts";
import { readUsageEvents } from "./usage-event.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** For how long a report works before it lets others: nothing else can run meanwhile. */
const TURN_MS = 4;
const ENTRIES_AT_ONCE = 1000;
const GROUPS_AT_ONCE = 1000;

const NEVER = { fromMs: 0, toMs: 0 };

/** The sums of each group of one bucket, by the group's number. */
type Sums = Figures[];

/** A row while it is looked for. */
interface Found extends UsagePosition {
  readonly figures: Figures;
}

/** What is to be added up: whose rows are read (one account's, everybody's, or with undefined those of each), and into which groups. */
interface Wanted {
  readonly owner: string | undefined;
  readonly groups: ReportGroups;
}

/** Adds up what was used, from the rollups: all of them up to date, and none changing. */
export class UsageReader {
  readonly #file: SqliteFile;
  readonly #roller: RollupUpdater;
  readonly #question: UsageReportQuery;
  readonly #signal: CancelSignal | undefined;
  /** Slots of which something is in memory: few, and most reports have many that are none of them. */
  readonly #pending: Readonly<Record<Granularity, ReadonlySet<number>>>;
  readonly #known: { readonly fromMs: number; readonly toMs: number };
  #turnBegan = performance.now();

  constructor(file: SqliteFile, roller: RollupUpdater, question: UsageReportQuery, signal?: CancelSignal) {
    this.#file = file;
    this.#roller = roller;
    this.#question = question;
    this.#signal = signal;
    const pendingOf = (granularity: Granularity): Set<number> => new Set(roller.rollups.pendingSlots(granularity));
    this.#pending = { quarter: pendingOf("quarter"), hour: pendingOf("hour"), day: pendingOf("day"), month: pendingOf("month") };
    // Whoever names an account that cannot be must not be shown what stands in its place.
    this.#known = question.accountId === EVERYBODY ? NEVER : this.#knownTimes();
  }

  async report(): Promise<UsageReport> {
    const { bounds, after, limit = Infinity } = this.#question;
    const wanted = this.#wanted(this.#question);
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
      const sums = await this.#sum(bounds[at]!, bounds[at + 1]!, wanted);
      rows.push(...(await this.#rowsOf(bounds[at]!, sums, wanted.groups, limit - rows.length, seen)));
    }
    const isAll = first === 0 && at === bounds.length - 1;
    return { rows, total: toMeasures(isAll ? seen : await this.#total()) };
  }

  /** The first rows of a bucket behind the place, and into `seen` the sum of all. There may be very many that are not wanted. */
  async #rowsOf(fromMs: number, sums: Sums, groups: ReportGroups, limit: number, seen: Figures): Promise<UsageRow[]> {
    const { after, isCostliestFirst = false } = this.#question;
    const first = new TopN<Found>(limit, isCostliestFirst ? compareFound : comparePlaces);
    for (let begin = 0; begin < sums.length; begin += GROUPS_AT_ONCE) {
      sums.slice(begin, begin + GROUPS_AT_ONCE).forEach((figures, at) => {
        addFigures(seen, figures);
        const found = { fromMs, names: groups.namesOf(begin + at), figures };
        if (!after || comparePlaces(found, after) > 0) first.add(found);
      });
      if (this.#isTurnOver) await this.#yield();
    }
    return first.inOrder().map(({ names, figures }) => ({ fromMs, names, ...toMeasures(figures) }));
  }

  async #total(): Promise<Figures> {
    const { bounds } = this.#question;
    const [figures] = await this.#sum(bounds[0]!, bounds.at(-1)!, this.#wanted({ ...this.#question, by: [] }));
    return figures ?? noFigures();
  }

  #wanted(question: UsageReportQuery): Wanted {
    return { owner: ownerFor(question), groups: new ReportGroups(question, this.#roller.series) };
  }

  /** The sums between two moments. Where they are no quarter hours, what is beside those comes from the entries. */
  async #sum(fromMs: number, toMs: number, wanted: Wanted): Promise<Sums> {
    const sums: Sums = [];
    const from = Math.max(fromMs, this.#known.fromMs);
    const to = Math.min(toMs, this.#known.toMs);
    if (from >= to) return sums;
    const size = GRANULARITY_MS.quarter;
    const [first, last] = [Math.ceil(from / size) * size, Math.floor(to / size) * size];
    if (first > last) await this.#addPart(last, from, to, wanted, sums);
    else {
      if (from < first) await this.#addPart(first - size, from, first, wanted, sums);
      for (const stretch of intervalsOf(first, last)) await this.#addStretch(stretch, wanted, sums);
      if (last < to) await this.#addPart(last, last, to, wanted, sums);
    }
    return sums;
  }

  async #addStretch({ granularity, firstSlot, endSlot }: Interval, wanted: Wanted, sums: Sums): Promise<void> {
    for (let slot = firstSlot; slot < endSlot; slot++) {
      // There is one page of rows, or none, in most slots: nothing is waited for that need not be.
      let page: readonly KeyedRow[] | undefined = this.#firstPage(granularity, slot, wanted);
      for (; page; page = this.#nextPage(granularity, slot, wanted, page)) {
        for (const row of page) {
          addCells(row, wanted.groups, sums);
          if (this.#isTurnOver) await this.#yield();
        }
      }
      if (this.#pending[granularity].has(slot)) await this.#addPending(granularity, slot, wanted, sums);
      if (this.#isTurnOver) await this.#yield();
    }
  }

  #firstPage(granularity: Granularity, slot: number, { owner }: Wanted): readonly KeyedRow[] {
    if (owner === undefined) return readRows(this.#file, granularity, slot, BEFORE_ALL);
    return readRowsOf(this.#file, granularity, slot, { accountId: owner, part: -1 });
  }

  #nextPage(granularity: Granularity, slot: number, { owner }: Wanted, page: readonly KeyedRow[]): readonly KeyedRow[] | undefined {
    if (page.length < ROWS_AT_ONCE) return undefined;
    return (owner === undefined ? readRows : readRowsOf)(this.#file, granularity, slot, page.at(-1)!);
  }

  async #addPending(granularity: Granularity, slot: number, { owner, groups }: Wanted, sums: Sums): Promise<void> {
    for (const row of this.#roller.rollups.pending(granularity, slot, owner)) {
      for (const [series, figures] of row.cells) addTo(sums, groups.of(series), figures);
      if (this.#isTurnOver) await this.#yield();
    }
  }

  /** A part of a quarter hour: all of that where nothing happened in the rest, else what its entries say. */
  async #addPart(quarterMs: number, fromMs: number, toMs: number, wanted: Wanted, sums: Sums): Promise<void> {
    const slot = quarterMs / GRANULARITY_MS.quarter;
    const extent = this.#extentOf(slot, wanted.owner ?? EVERYBODY);
    if (!extent) return;
    if (extent.firstMs >= fromMs && extent.lastMs < toMs) {
      return this.#addStretch({ granularity: "quarter", firstSlot: slot, endSlot: slot + 1 }, wanted, sums);
    }
    for (let afterId = extent.firstId - 1; afterId < extent.lastId; afterId += ENTRIES_AT_ONCE) {
      for (const use of readUsageEvents(this.#file, afterId, Math.min(afterId + ENTRIES_AT_ONCE, extent.lastId))) {
        if (use.atMs >= fromMs && use.atMs < toMs) addTo(sums, wanted.groups.of(use), use.figures);
      }
      await this.#yield();
    }
  }

  #extentOf(slot: number, owner: string): Extent | undefined {
    let extent = readExtent(this.#file, "quarter", slot, owner);
    for (const row of this.#roller.rollups.pending("quarter", slot, owner)) {
      if (extent) extend(extent, row);
      else extent = { ...row };
    }
    return extent;
  }

  /** From the first quarter hour of which there is anything to the last. */
  #knownTimes(): { fromMs: number; toMs: number } {
    const slots = [...slotsWithRows(this.#file, "quarter"), ...this.#pending.quarter];
    if (slots.length === 0) return NEVER;
    // They may be too many for the arguments of one call.
    const [first, last] = [slots.reduce((one, other) => Math.min(one, other)), slots.reduce((one, other) => Math.max(one, other))];
    return { fromMs: first * GRANULARITY_MS.quarter, toMs: (last + 1) * GRANULARITY_MS.quarter };
  }

  get #isTurnOver(): boolean {
    return performance.now() - this.#turnBegan > TURN_MS;
  }

  async #yield(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted) throw new CallerGone();
    this.#turnBegan = performance.now();
  }
}

/** Everybody's rows know models and upstreams, but neither keys nor accounts. */
function ownerFor({ accountId, keyId, by }: UsageReportQuery): string | undefined {
  if (accountId !== undefined) return accountId;
  return keyId !== undefined || by.includes("key") || by.includes("account") ? undefined : EVERYBODY;
}

function addCells(row: KeyedRow, groups: ReportGroups, sums: Sums): void {
  readCells(row.cells, (series, figures) => addTo(sums, groups.ofNumber(series, row), figures));
}

function addTo(sums: Sums, group: number, figures: Figures): void {
  if (group === EXCLUDED) return;
  const sum = sums[group];
  if (sum) addFigures(sum, figures);
  else sums[group] = figures.slice();
}

function compareFound(one: Found, other: Found): number {
  return compareCosts(one.figures, other.figures) || comparePlaces(one, other);
}

function comparePlaces(one: UsagePosition, other: UsagePosition): number {
  if (one.fromMs !== other.fromMs) return one.fromMs - other.fromMs;
  const at = one.names.findIndex((name, index) => name !== other.names[index]);
  return at < 0 ? 0 : one.names[at]! < other.names[at]! ? -1 : 1;
}
