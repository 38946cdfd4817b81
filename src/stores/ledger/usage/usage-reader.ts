import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import { TopN } from "../../../lib/collections/top-n.ts";
import type { UsagePosition, UsageReportQuery, UsageReport, UsageRow } from "../ledger-record-store.ts";
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

/** How long a report works before it yields. The event loop is blocked meanwhile. */
const TURN_MS = 4;
const ENTRIES_AT_ONCE = 1000;
const GROUPS_AT_ONCE = 1000;

const NEVER = { fromMs: 0, toMs: 0 };

/** The sums of one bucket, by the number of the group. */
type Sums = Figures[];

/** A candidate row. */
interface Candidate extends UsagePosition {
  readonly figures: Figures;
}

/** Which rows to read (of one account, of `EVERYBODY`, or with undefined of each account), and the groups to sum them into. */
interface Scope {
  readonly owner: string | undefined;
  readonly groups: ReportGroups;
}

/** Reads a usage report from rollups that are up to date and do not change meanwhile. */
export class UsageReader {
  readonly #file: SqliteFile;
  readonly #updater: RollupUpdater;
  readonly #query: UsageReportQuery;
  readonly #signal: CancelSignal | undefined;
  /** Slots with pending rows: few, so that most slots of a report need no look at memory. */
  readonly #pending: Readonly<Record<Granularity, ReadonlySet<number>>>;
  readonly #known: { readonly fromMs: number; readonly toMs: number };
  #turnStarted = performance.now();

  constructor(file: SqliteFile, updater: RollupUpdater, query: UsageReportQuery, signal?: CancelSignal) {
    this.#file = file;
    this.#updater = updater;
    this.#query = query;
    this.#signal = signal;
    const pendingOf = (granularity: Granularity): Set<number> => new Set(updater.rollups.pendingSlots(granularity));
    this.#pending = { quarter: pendingOf("quarter"), hour: pendingOf("hour"), day: pendingOf("day"), month: pendingOf("month") };
    // A query for the impossible account "" must not return the sums of everybody.
    this.#known = query.accountId === EVERYBODY ? NEVER : this.#knownTimes();
  }

  async report(): Promise<UsageReport> {
    const { bounds, after, limit = Infinity } = this.#query;
    const scope = this.#scopeOf(this.#query);
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
      const sums = await this.#sum(bounds[at]!, bounds[at + 1]!, scope);
      rows.push(...(await this.#rowsOf(bounds[at]!, sums, scope.groups, limit - rows.length, seen)));
    }
    const isAll = first === 0 && at === bounds.length - 1;
    return { rows, total: toMeasures(isAll ? seen : await this.#total()) };
  }

  /** The first rows of a bucket after the position. Adds all rows of the bucket to `seen`, of which there may be very many. */
  async #rowsOf(fromMs: number, sums: Sums, groups: ReportGroups, limit: number, seen: Figures): Promise<UsageRow[]> {
    const { after, isCostliestFirst = false } = this.#query;
    const first = new TopN<Candidate>(limit, isCostliestFirst ? compareByCost : comparePositions);
    for (let begin = 0; begin < sums.length; begin += GROUPS_AT_ONCE) {
      sums.slice(begin, begin + GROUPS_AT_ONCE).forEach((figures, at) => {
        addFigures(seen, figures);
        const found = { fromMs, names: groups.namesOf(begin + at), figures };
        if (!after || comparePositions(found, after) > 0) first.add(found);
      });
      if (this.#isTurnOver) await this.#yield();
    }
    return first.inOrder().map(({ names, figures }) => ({ fromMs, names, ...toMeasures(figures) }));
  }

  async #total(): Promise<Figures> {
    const { bounds } = this.#query;
    const [figures] = await this.#sum(bounds[0]!, bounds.at(-1)!, this.#scopeOf({ ...this.#query, by: [] }));
    return figures ?? noFigures();
  }

  #scopeOf(query: UsageReportQuery): Scope {
    return { owner: ownerFor(query), groups: new ReportGroups(query, this.#updater.series) };
  }

  /** The sums between two moments. Parts of quarter hours at the ends come from the entries. */
  async #sum(fromMs: number, toMs: number, scope: Scope): Promise<Sums> {
    const sums: Sums = [];
    const from = Math.max(fromMs, this.#known.fromMs);
    const to = Math.min(toMs, this.#known.toMs);
    if (from >= to) return sums;
    const size = GRANULARITY_MS.quarter;
    const [first, last] = [Math.ceil(from / size) * size, Math.floor(to / size) * size];
    if (first > last) await this.#addPart(last, from, to, scope, sums);
    else {
      if (from < first) await this.#addPart(first - size, from, first, scope, sums);
      for (const interval of intervalsOf(first, last)) await this.#addInterval(interval, scope, sums);
      if (last < to) await this.#addPart(last, last, to, scope, sums);
    }
    return sums;
  }

  async #addInterval({ granularity, firstSlot, endSlot }: Interval, scope: Scope, sums: Sums): Promise<void> {
    for (let slot = firstSlot; slot < endSlot; slot++) {
      // Synchronous: most slots have one page of rows or none, and an await for each would be slower.
      let page: readonly KeyedRow[] | undefined = this.#firstPage(granularity, slot, scope);
      for (; page; page = this.#nextPage(granularity, slot, scope, page)) {
        for (const row of page) {
          addCells(row, scope.groups, sums);
          if (this.#isTurnOver) await this.#yield();
        }
      }
      if (this.#pending[granularity].has(slot)) await this.#addPending(granularity, slot, scope, sums);
      if (this.#isTurnOver) await this.#yield();
    }
  }

  #firstPage(granularity: Granularity, slot: number, { owner }: Scope): readonly KeyedRow[] {
    if (owner === undefined) return readRows(this.#file, granularity, slot, BEFORE_ALL);
    return readRowsOf(this.#file, granularity, slot, { accountId: owner, part: -1 });
  }

  #nextPage(granularity: Granularity, slot: number, { owner }: Scope, page: readonly KeyedRow[]): readonly KeyedRow[] | undefined {
    if (page.length < ROWS_AT_ONCE) return undefined;
    return (owner === undefined ? readRows : readRowsOf)(this.#file, granularity, slot, page.at(-1)!);
  }

  async #addPending(granularity: Granularity, slot: number, { owner, groups }: Scope, sums: Sums): Promise<void> {
    for (const row of this.#updater.rollups.pending(granularity, slot, owner)) {
      for (const [series, figures] of row.cells) addTo(sums, groups.of(series), figures);
      if (this.#isTurnOver) await this.#yield();
    }
  }

  /** Adds a part of a quarter hour: from the rollup where the rest of it is empty, otherwise from the entries. */
  async #addPart(quarterMs: number, fromMs: number, toMs: number, scope: Scope, sums: Sums): Promise<void> {
    const slot = quarterMs / GRANULARITY_MS.quarter;
    const extent = this.#extentOf(slot, scope.owner ?? EVERYBODY);
    if (!extent) return;
    if (extent.firstMs >= fromMs && extent.lastMs < toMs) {
      return this.#addInterval({ granularity: "quarter", firstSlot: slot, endSlot: slot + 1 }, scope, sums);
    }
    for (let afterId = extent.firstId - 1; afterId < extent.lastId; afterId += ENTRIES_AT_ONCE) {
      for (const use of readUsageEvents(this.#file, afterId, Math.min(afterId + ENTRIES_AT_ONCE, extent.lastId))) {
        if (use.atMs >= fromMs && use.atMs < toMs) addTo(sums, scope.groups.of(use), use.figures);
      }
      await this.#yield();
    }
  }

  #extentOf(slot: number, owner: string): Extent | undefined {
    let extent = readExtent(this.#file, "quarter", slot, owner);
    for (const row of this.#updater.rollups.pending("quarter", slot, owner)) {
      if (extent) extend(extent, row);
      else extent = { ...row };
    }
    return extent;
  }

  /** From the first quarter hour with usage to the last. */
  #knownTimes(): { fromMs: number; toMs: number } {
    const slots = [...slotsWithRows(this.#file, "quarter"), ...this.#pending.quarter];
    if (slots.length === 0) return NEVER;
    // Not `Math.min(...slots)`: they may be too many for the arguments of one call.
    const [first, last] = [slots.reduce((one, other) => Math.min(one, other)), slots.reduce((one, other) => Math.max(one, other))];
    return { fromMs: first * GRANULARITY_MS.quarter, toMs: (last + 1) * GRANULARITY_MS.quarter };
  }

  get #isTurnOver(): boolean {
    return performance.now() - this.#turnStarted > TURN_MS;
  }

  async #yield(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted) throw new CallerGone();
    this.#turnStarted = performance.now();
  }
}

/** Rows of `EVERYBODY` have models and upstreams, but neither keys nor accounts. */
function ownerFor({ accountId, keyId, by }: UsageReportQuery): string | undefined {
  if (accountId !== undefined) return accountId;
  return keyId !== undefined || by.includes("key") || by.includes("account") ? undefined : EVERYBODY;
}

function addCells(row: KeyedRow, groups: ReportGroups, sums: Sums): void {
  readCells(row, (series, figures) => addTo(sums, groups.ofNumber(series, row), figures));
}

function addTo(sums: Sums, group: number, figures: Figures): void {
  if (group === EXCLUDED) return;
  const sum = sums[group];
  if (sum) addFigures(sum, figures);
  else sums[group] = figures.slice();
}

function compareByCost(one: Candidate, other: Candidate): number {
  return compareCosts(one.figures, other.figures) || comparePositions(one, other);
}

function comparePositions(one: UsagePosition, other: UsagePosition): number {
  if (one.fromMs !== other.fromMs) return one.fromMs - other.fromMs;
  const at = one.names.findIndex((name, index) => name !== other.names[index]);
  return at < 0 ? 0 : one.names[at]! < other.names[at]! ? -1 : 1;
}
