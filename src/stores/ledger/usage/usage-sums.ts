import type { Database as SqliteFile } from "bun:sqlite";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { readCells } from "./cells.ts";
import { GRANULARITY_MS, intervalsOf, type Granularity, type Interval } from "./granularity.ts";
import { readExtent, readRow, readRows, ROWS_AT_ONCE, slotsWithRows, type KeyedRow, type Owners } from "./rollup-rows.ts";
import type { RollupUpdater } from "./rollup-updater.ts";
import { extend } from "./rollup.ts";
import type { Extent, SeriesNames } from "./series.ts";
import type { SeriesGroups } from "./series-groups.ts";
import { USAGE, type SeriesTables } from "./series-tables.ts";
import { Sums } from "./sums.ts";
import { TimeSlicer } from "./time-slicer.ts";
import { readUsageEvents, type UsageEvent } from "./usage-event.ts";

const ENTRIES_AT_ONCE = 1000;

const NEVER = { fromMs: 0, toMs: 0 };

/** The rows to read, and the groups into which they are summed. */
export interface Scope {
  readonly tables: SeriesTables;
  readonly owners: Owners;
  /** Limits the read to these parts of the owner's rows, if not all are needed. */
  readonly parts?: readonly number[] | undefined;
  readonly groups: SeriesGroups;
  /** The account whose entries are in these rows, or `EVERYBODY`. */
  readonly accountId: string;
  /** The series of these rows to which usage was added, if any. */
  readonly namesOf: (use: UsageEvent) => SeriesNames | undefined;
}

/** Adds up rollups that are up to date and do not change meanwhile. */
export class UsageSums {
  readonly #file: SqliteFile;
  readonly #updater: RollupUpdater;
  readonly #slicer: TimeSlicer;
  /** Slots with pending rows. They are few, so most slots of a report need no lookup in memory. */
  readonly #pending: Readonly<Record<Granularity, ReadonlySet<number>>>;
  readonly #known: { readonly fromMs: number; readonly toMs: number };

  constructor(file: SqliteFile, updater: RollupUpdater, signal?: CancelSignal) {
    this.#file = file;
    this.#updater = updater;
    this.#slicer = new TimeSlicer(signal);
    const pendingOf = (granularity: Granularity): Set<number> => new Set(updater.rollups.pendingSlots(granularity));
    this.#pending = {
      quarter: pendingOf("quarter"),
      hour: pendingOf("hour"),
      day: pendingOf("day"),
      five_days: pendingOf("five_days"),
      month: pendingOf("month"),
    };
    this.#known = this.#knownTimes();
  }

  /** The sums between two moments. Partial quarter hours at the ends are read from the entries. */
  async between(fromMs: number, toMs: number, scope: Scope): Promise<Sums> {
    const sums = new Sums();
    const from = Math.max(fromMs, this.#known.fromMs);
    const to = Math.min(toMs, this.#known.toMs);
    if (from >= to) return sums;
    const size = GRANULARITY_MS.quarter;
    const [first, last] = [Math.ceil(from / size) * size, Math.floor(to / size) * size];
    if (first > last) await this.#addPart(last, from, to, scope, sums);
    else {
      if (from < first) await this.#addPart(first - size, from, first, scope, sums);
      for (const interval of intervalsOf(first, last, scope.tables.granularities)) await this.#addInterval(interval, scope, sums);
      if (last < to) await this.#addPart(last, last, to, scope, sums);
    }
    return sums;
  }

  yieldIfDue(): Promise<void> {
    return this.#slicer.yieldIfDue();
  }

  async #addInterval({ granularity, firstSlot, endSlot }: Interval, scope: Scope, sums: Sums): Promise<void> {
    for (let slot = firstSlot; slot < endSlot; slot++) {
      // Synchronous: most slots have one page of rows or none, and an await for each would be slower.
      let page: readonly KeyedRow[] | undefined = this.#firstPage(granularity, slot, scope);
      for (; page; page = this.#nextPage(granularity, slot, scope, page)) {
        for (const row of page) {
          addCells(row, scope.groups, sums);
          if (this.#slicer.isOver) await this.#slicer.yield();
        }
      }
      if (this.#pending[granularity].has(slot)) await this.#addPending(granularity, slot, scope, sums);
      if (this.#slicer.isOver) await this.#slicer.yield();
    }
  }

  #firstPage(granularity: Granularity, slot: number, { tables, owners, parts }: Scope): readonly KeyedRow[] {
    if (!parts || !("one" in owners)) return readRows(this.#file, tables, granularity, slot, owners);
    return parts.flatMap((part) => {
      const key = { owner: owners.one, part };
      const row = readRow(this.#file, tables, granularity, slot, key);
      return row ? { ...row, ...key } : [];
    });
  }

  #nextPage(
    granularity: Granularity,
    slot: number,
    { tables, owners, parts }: Scope,
    page: readonly KeyedRow[],
  ): readonly KeyedRow[] | undefined {
    if (parts || page.length < ROWS_AT_ONCE) return undefined;
    return readRows(this.#file, tables, granularity, slot, owners, page.at(-1));
  }

  async #addPending(granularity: Granularity, slot: number, { tables, owners, groups }: Scope, sums: Sums): Promise<void> {
    for (const row of this.#updater.rollups.pending(granularity, slot, tables, owners)) {
      for (const [series, figures] of row.cells) sums.add(groups.of(series), figures);
      if (this.#slicer.isOver) await this.#slicer.yield();
    }
  }

  /** Adds a partial quarter hour: from the rollup if the rest of the quarter hour is empty, otherwise from the entries. */
  async #addPart(quarterMs: number, fromMs: number, toMs: number, scope: Scope, sums: Sums): Promise<void> {
    const slot = quarterMs / GRANULARITY_MS.quarter;
    const extent = this.#extentOf(slot, scope.accountId);
    if (!extent) return;
    if (extent.firstMs >= fromMs && extent.lastMs < toMs) {
      return this.#addInterval({ granularity: "quarter", firstSlot: slot, endSlot: slot + 1 }, scope, sums);
    }
    for (let afterId = extent.firstId - 1; afterId < extent.lastId; afterId += ENTRIES_AT_ONCE) {
      for (const use of readUsageEvents(this.#file, afterId, Math.min(afterId + ENTRIES_AT_ONCE, extent.lastId))) {
        const names = use.atMs >= fromMs && use.atMs < toMs ? scope.namesOf(use) : undefined;
        if (names) sums.add(scope.groups.of(names), use.figures);
      }
      await this.#slicer.yield();
    }
  }

  #extentOf(slot: number, accountId: string): Extent | undefined {
    let extent = readExtent(this.#file, "quarter", slot, accountId);
    for (const row of this.#updater.rollups.pending("quarter", slot, USAGE, { one: accountId })) {
      if (extent) extend(extent, row);
      else extent = { ...row };
    }
    return extent;
  }

  /** The time from the first quarter hour with usage to the last. */
  #knownTimes(): { fromMs: number; toMs: number } {
    const slots = [...slotsWithRows(this.#file, "quarter"), ...this.#pending.quarter];
    if (slots.length === 0) return NEVER;
    // Not `Math.min(...slots)`: there may be too many slots for the arguments of one call.
    const [first, last] = [slots.reduce((one, other) => Math.min(one, other)), slots.reduce((one, other) => Math.max(one, other))];
    return { fromMs: first * GRANULARITY_MS.quarter, toMs: (last + 1) * GRANULARITY_MS.quarter };
  }
}

function addCells(row: KeyedRow, groups: SeriesGroups, sums: Sums): void {
  readCells(row, (series, figures) => sums.add(groups.ofNumber(series, row), figures));
}
