import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { transactSoon } from "../erasure/transact-soon.ts";
import type { IdRange } from "../records/ledger-rows.ts";
import type { StoredNames } from "./attributed-series.ts";
import { mergeCells, readCells, type EncodedCells } from "./cells.ts";
import { FIGURE_COUNT } from "./figures.ts";
import type { Granularity } from "./granularity.ts";
import { extend, sumsById, type PendingRow, type Rollup, type Rollups, type RollupWriter, type RowKey, type Watermark } from "./rollups.ts";
import { ATTRIBUTION, USAGE, type Extent, type Owners, type SeriesBook, type SeriesNames, type SeriesTables } from "./series.ts";
import type { SlotRange } from "./slot-ranges.ts";
import type { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import { readUsageEvents, type UsageEvent } from "./usage-event.ts";
import type { RangeRow, RollupReader, RowFilter, SeriesOfPart } from "./rollup-reader.ts";

/** Rows of one page. */
const ROWS_AT_ONCE = 32;
const RENAMED_AT_ONCE = 100;

/** Used instead of a granularity, for the watermark of all rollups. A rollup with a lower watermark had nothing to count. */
const ALL = "all";

const EXTENT = "first_id as firstId, last_id as lastId, first_ms as firstMs, last_ms as lastMs";
const WATERMARK = "select grain as granularity, shard, as_of_id as id from usage_rolled";

/** A stored row: the usage of some series of an owner in one slot. */
interface StoredRow extends Extent, EncodedCells {}
type StoredKeyRow = RowKey & EncodedCells;

/** The tables of the rollups in the embedded database. */
export class SqliteRollups implements StoredNames, RollupReader, RollupWriter {
  readonly bucketsAtOnce = 1;
  readonly #file: SqliteFile;
  /** The setting for the limit of names. */
  readonly #namesPerDay: number;
  readonly #limits = new Map<number, number>();
  readonly #pending: () => Rollups;

  /** `pending`: rollups with names that are not in the database yet. */
  constructor(file: SqliteFile, namesPerDay: number, pending: () => Rollups) {
    this.#file = file;
    this.#namesPerDay = namesPerDay;
    this.#pending = pending;
  }

  lastSeriesId({ series }: SeriesTables): number {
    return this.#file.query<{ id: number | null }, []>(`select max(id) as id from ${series}`).get()?.id ?? 0;
  }

  findSeries(tables: SeriesTables, { owner, keyId, model, name }: SeriesNames): { id: number; part: number } | undefined {
    const sql = `select id, part from ${tables.series} where ${tables.owner} = ? and key_id = ? and model = ? and ${tables.name} = ?`;
    return this.#file.query<{ id: number; part: number }, string[]>(sql).get(owner, keyId, model, name) ?? undefined;
  }

  lastPart(tables: SeriesTables, owner: string): { part: number; count: number } {
    const sql = `select part, count(*) as count from ${tables.series} where ${tables.owner} = ? group by part order by part desc limit 1`;
    return this.#file.query<{ part: number; count: number }, [string]>(sql).get(owner) ?? { part: 0, count: 0 };
  }

  *namesOfDay(owner: string, day: number): Generator<string> {
    const owners = { one: owner };
    for (let page = this.#readRows(ATTRIBUTION, "day", day, owners); page.length > 0;) {
      for (const row of page) {
        const { ids, names: all } = this.#seriesOf(ATTRIBUTION, row, false, false);
        const names = new Map(ids.map((id, at) => [id, all[at]!]));
        const found: string[] = [];
        readCells(row, (series) => void found.push(names.get(series)!));
        yield* found;
      }
      page = this.#readRows(ATTRIBUTION, "day", day, owners, page.at(-1));
    }
    for (const { cells } of this.#pending().pending("day", day, ATTRIBUTION, owners)) for (const { name } of cells.keys()) yield name;
  }

  limitOfDay(day: number): number {
    const known = this.#limits.get(day);
    if (known !== undefined) return known;
    const stored = this.#file.query<{ names: number }, [number]>("select names from attribution_days where day = ?").get(day)?.names;
    if (stored === undefined) this.#file.query("insert into attribution_days (day, names) values (?, ?)").run(day, this.#namesPerDay);
    const limit = stored ?? this.#namesPerDay;
    this.#limits.set(day, limit);
    return limit;
  }

  tagsOfDay(accountId: string, day: number): string[] {
    const sql = "select tag from attribution_tag_days where account_id = ? and day = ?";
    return this.#file
      .query<{ tag: string }, [string, number]>(sql)
      .all(accountId, day)
      .map(({ tag }) => tag);
  }

  addTag(accountId: string, day: number, tag: string): void {
    const insert = "insert or ignore into attribution_tag_days (account_id, day, tag) values (?, ?, ?)";
    this.#file.query(insert).run(accountId, day, tag);
  }

  async *rowsIn(filter: RowFilter, ranges: readonly SlotRange[], slicer: TimeSlicer): AsyncGenerator<readonly RangeRow[]> {
    let page: RangeRow[] = [];
    for (const range of ranges) {
      for (let slot = range.firstSlot; slot < range.endSlot; slot++) {
        // Most slots have one page of rows or none, and an await for each would be slower.
        for (let rows = this.#firstRows(filter, range.granularity, slot); rows.length > 0;) {
          for (const row of rows) page.push({ ...row, range });
          if (page.length >= ROWS_AT_ONCE) {
            yield page;
            page = [];
          }
          rows =
            filter.parts || rows.length < ROWS_AT_ONCE
              ? []
              : this.#readRows(filter.tables, range.granularity, slot, filter.owners, rows.at(-1));
        }
        if (slicer.isDue) await slicer.yield();
      }
    }
    if (page.length > 0) yield page;
  }

  async *seriesIn(tables: SeriesTables, rows: readonly RowKey[], hasKeys: boolean, hasModels: boolean): AsyncGenerator<SeriesOfPart> {
    for (const row of rows) yield this.#seriesOf(tables, row, hasKeys, hasModels);
  }

  async partsWith(owner: string, names: readonly string[]): Promise<readonly number[]> {
    const sql = "select distinct part from attribution_series where owner = ? and name = ?";
    const find = this.#file.query<{ part: number }, [string, string]>(sql);
    return [...new Set(names.flatMap((name) => find.all(owner, name).map(({ part }) => part)))];
  }

  async extentsOf(accountId: string, slots: readonly number[]): Promise<ReadonlyMap<number, Extent>> {
    const sql = `select min(first_id) as firstId, max(last_id) as lastId, min(first_ms) as firstMs, max(last_ms) as lastMs from usage_sums
      where grain = 'quarter' and slot = ? and account_id = ? having count(*) > 0`;
    const query = this.#file.query<Extent, [number, string]>(sql);
    return new Map(slots.flatMap((slot): [number, Extent][] => query.all(slot, accountId).map((extent) => [slot, extent])));
  }

  async idsIn({ firstId, lastId }: Extent): Promise<readonly IdRange[]> {
    return [{ firstId, lastId }];
  }

  async eventsIn({ firstId, lastId }: IdRange): Promise<readonly UsageEvent[]> {
    return readUsageEvents(this.#file, firstId - 1, lastId);
  }

  async quartersWithRows(): Promise<readonly number[]> {
    // SQLite finds only a single `min` or `max` by index; both in one query, or either with another condition, would scan all rows.
    return ["min", "max"].flatMap((which) => {
      const sql = `select ${which}(slot) as slot from ${USAGE.sums} where grain = 'quarter'`;
      return this.#file.query<{ slot: number | null }, []>(sql).get()?.slot ?? [];
    });
  }

  transaction(work: () => void): void {
    this.#file.transaction(work)();
  }

  saveSeries({ tables, unsaved }: SeriesBook, untilMs: number): number {
    const columns = `id, ${tables.owner}, key_id, model, ${tables.name}, part`;
    const insert = this.#file.query(`insert or ignore into ${tables.series} (${columns}) values (?, ?, ?, ?, ?, ?)`);
    let count = 0;
    while (count < unsaved.length && (count === 0 || performance.now() < untilMs)) {
      const { id, owner, keyId, model, name, part } = unsaved[count++]!;
      insert.run(id, owner, keyId, model, name, part);
    }
    return count;
  }

  addToRow({ tables, granularity }: Rollup, slot: number, row: PendingRow): void {
    const { owner, part } = row;
    const stored = this.#readRow(tables, granularity, slot, row);
    const extent: Extent = stored ?? { ...row };
    extend(extent, row);
    const { firstId, lastId, firstMs, lastMs } = extent;
    // An update in place: `insert or replace` would move the row to the end of the table, away from the rows that are read with it.
    const sql = `insert into ${tables.sums} (grain, slot, ${tables.owner}, part, first_id, last_id, first_ms, last_ms, cells, figures)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set first_id = excluded.first_id, last_id = excluded.last_id,
      first_ms = excluded.first_ms, last_ms = excluded.last_ms, cells = excluded.cells, figures = excluded.figures`;
    const cells = mergeCells(stored, sumsById(row));
    this.#file.query(sql).run(granularity, slot, owner, part, firstId, lastId, firstMs, lastMs, cells, FIGURE_COUNT);
  }

  readWatermark({ granularity, shard }: Rollup): number {
    const sql = `${WATERMARK} where grain = ? and shard = ?`;
    const own = this.#file.query<Watermark, [string, number]>(sql).get(granularity, shard)?.id ?? 0;
    return Math.max(own, this.readSharedWatermark());
  }

  writeWatermark({ granularity, shard }: Rollup, id: number): void {
    this.#writeWatermark(granularity, shard, id);
  }

  writeSharedWatermark(id: number): void {
    this.#file.query("delete from usage_rolled where as_of_id <= ?").run(id);
    this.#writeWatermark(ALL, 0, id);
  }

  readSharedWatermark(): number {
    return this.#file.query<Watermark, [string]>(`${WATERMARK} where grain = ?`).get(ALL)?.id ?? 0;
  }

  /** The watermarks of rollups that are ahead of the others, because they were written and the others were not yet. */
  readWatermarksAhead(): Watermark[] {
    return this.#file.query<Watermark, [string]>(`${WATERMARK} where grain <> ?`).all(ALL);
  }

  /** The first tags of an account, by name, since a day. */
  tagsSince(accountId: string, day: number, limit: number): string[] {
    const sql = "select distinct tag from attribution_tag_days where account_id = ? and day >= ? order by tag limit ?";
    return this.#file
      .query<{ tag: string }, [string, number, number]>(sql)
      .all(accountId, day, limit)
      .map(({ tag }) => tag);
  }

  /** Renames stored series of an owner, in slices. Afterwards several series may have the same name, and reports add them up. */
  async renameSeries(owner: string, names: Iterable<string>, name: string): Promise<void> {
    const update = this.#file.query("update attribution_series set name = ? where owner = ? and name = ?");
    const all = [...names];
    for (let at = 0; at < all.length; at += RENAMED_AT_ONCE) {
      const some = all.slice(at, at + RENAMED_AT_ONCE);
      await transactSoon(this.#file, () => some.forEach((old) => update.run(name, owner, old)));
      await nextTurn();
    }
  }

  #writeWatermark(granularity: Granularity | typeof ALL, shard: number, id: number): void {
    this.#file.query("insert or replace into usage_rolled (grain, shard, as_of_id) values (?, ?, ?)").run(granularity, shard, id);
  }

  #seriesOf(
    { series, owner: ownerColumn, name }: SeriesTables,
    { owner, part }: RowKey,
    hasKeys: boolean,
    hasModels: boolean,
  ): SeriesOfPart {
    const columns = ["id", name, ...(hasKeys ? ["key_id"] : []), ...(hasModels ? ["model"] : [])];
    // As JSON: one row for each series takes twice as long.
    const lists = columns.map((column) => `json_group_array(${column})`).join(", ");
    const sql = `select ${lists} from ${series} where ${ownerColumn} = ? and part = ?`;
    const [row] = this.#file.query<unknown, [string, number]>(sql).values(owner, part) as [string[]];
    const [ids, names, ...others] = row.map((list) => JSON.parse(list) as unknown) as [number[], string[], ...string[][]];
    return { owner, ids, names, keyIds: hasKeys ? others[0] : undefined, models: hasModels ? others.at(-1) : undefined };
  }

  #firstRows({ tables, owners, parts }: RowFilter, granularity: Granularity, slot: number): readonly StoredKeyRow[] {
    if (!parts || !("one" in owners)) return this.#readRows(tables, granularity, slot, owners);
    return parts.flatMap((part) => {
      const key = { owner: owners.one, part };
      const row = this.#readRow(tables, granularity, slot, key);
      return row ? { ...key, cells: row.cells, figures: row.figures } : [];
    });
  }

  #readRow({ sums, owner: column }: SeriesTables, granularity: Granularity, slot: number, { owner, part }: RowKey): StoredRow | undefined {
    const sql = `select ${EXTENT}, cells, figures from ${sums} where grain = ? and slot = ? and ${column} = ? and part = ?`;
    return this.#file.query<StoredRow, [string, number, string, number]>(sql).get(granularity, slot, owner, part) ?? undefined;
  }

  /**
   * A page of the rows of these owners, after a key. The limit is part of the SQL: SQLite would compile a statement with the limit as a
   * parameter again each time.
   */
  #readRows(
    { sums, owner: column }: SeriesTables,
    granularity: Granularity,
    slot: number,
    owners: Owners,
    after: RowKey = beforeFirst(owners),
  ): StoredKeyRow[] {
    const rows = `select ${column} as owner, part, cells, figures from ${sums} where grain = ? and slot = ?`;
    if ("one" in owners) {
      const sql = `${rows} and ${column} = ? and part > ? order by part limit ${ROWS_AT_ONCE}`;
      return this.#file.query<StoredKeyRow, [string, number, string, number]>(sql).all(granularity, slot, owners.one, after.part);
    }
    const sql = `${rows} and (${column}, part) > (?, ?) and ${column} < ? order by ${column}, part limit ${ROWS_AT_ONCE}`;
    const bounds = [after.owner, after.part, owners.before] as const;
    return this.#file.query<StoredKeyRow, [string, number, string, number, string]>(sql).all(granularity, slot, ...bounds);
  }
}

function beforeFirst(owners: Owners): RowKey {
  return "one" in owners ? { owner: owners.one, part: -1 } : { owner: owners.after, part: Number.MAX_SAFE_INTEGER };
}
