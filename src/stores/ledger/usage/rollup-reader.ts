import type { IdRange } from "../records/ledger-rows.ts";
import type { EncodedCells } from "./cells.ts";
import type { RowKey } from "./rollups.ts";
import type { Extent, Owners, SeriesTables } from "./series.ts";
import type { SlotRange, TimeSpan } from "./slot-ranges.ts";
import type { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import type { UsageEvent } from "./usage-event.ts";

/** A row of the rollups, and the range that it was read for. */
export interface RangeRow extends RowKey, EncodedCells {
  readonly range: SlotRange;
}

/** The series of one part of an owner's rows, as parallel lists. Keys and models are missing if they were not asked for. */
export interface SeriesOfPart {
  readonly owner: string;
  readonly ids: readonly number[];
  readonly names: readonly string[];
  readonly keyIds: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
}

/** The rows to read: of these owners, or only these parts of one owner. */
export interface RowFilter {
  readonly tables: SeriesTables;
  readonly owners: Owners;
  readonly parts?: readonly number[] | undefined;
}

/** Reads the rollups in either database, which do not change meanwhile. */
export interface RollupReader {
  /** The maximum number of buckets read at once. */
  readonly bucketsAtOnce: number;
  /** The rows in some ranges of slots, in pages. */
  rowsIn(filter: RowFilter, ranges: readonly SlotRange[], slicer: TimeSlicer): AsyncGenerator<readonly RangeRow[]>;
  /**
   * The names of all series in some parts of rows, mostly in the order of the names. Keys and models are read only on request, because the
   * index lacks them.
   */
  seriesIn(tables: SeriesTables, rows: readonly RowKey[], hasKeys: boolean, hasModels: boolean): AsyncGenerator<SeriesOfPart>;
  /** The parts of an owner's rows that have series with one of these names. */
  partsWith(owner: string, names: readonly string[]): Promise<readonly number[]>;
  /** The extent of all rows of an account in each of these quarter hours that has any. */
  extentsOf(accountId: string, slots: readonly number[]): Promise<ReadonlyMap<number, Extent>>;
  /** Ranges of ids with all entries of a span of time that are within an extent. */
  idsIn(extent: Extent, span: TimeSpan): Promise<readonly IdRange[]>;
  /** The usage in a range of entries, of one account or of all. */
  eventsIn(range: IdRange, accountId: string | undefined): Promise<readonly UsageEvent[]>;
  /** The first and the last quarter hour with rows. */
  quartersWithRows(): Promise<readonly number[]>;
}
