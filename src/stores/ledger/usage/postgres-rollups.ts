import { dimensionsOf, ERASED, nameIn, OTHER_NAMES, tagOf, type AttributionDimension } from "../../../money/attribution.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import type { IdRange } from "../records/ledger-rows.ts";
import { PostgresRows } from "../records/postgres-rows.ts";
import { dayOf, type StoredNames } from "./attributed-series.ts";
import { mergeCells, readCells, type EncodedCells } from "./cells.ts";
import { FIGURE_COUNT } from "./figures.ts";
import { sumsById, type PendingRowOfSlot, type Rollups, type RowKey } from "./rollups.ts";
import { ATTRIBUTION, EVERYBODY, ownerOf, USAGE, type Extent, type SeriesBook, type SeriesNames, type SeriesTables } from "./series.ts";
import type { SlotRange, TimeSpan } from "./slot-ranges.ts";
import { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import { readPostgresEvents, type UsageEvent } from "./usage-event.ts";
import type { RangeRow, RollupReader, RowFilter, SeriesOfPart } from "./rollup-reader.ts";

/** Rows that are read, added to and written together. */
const ROWS_AT_ONCE = 500;

/** Slots in the first statement of a report about one owner. Each further statement reads up to twice as many. */
const FIRST_SLOTS = 16;
/** Rows of a statement of a report, about: some megabytes. */
const ROWS_OF_REPORT = 2000;
/** Parts of rows whose series one statement reads: a few thousand series. */
const PARTS_AT_ONCE = 64;

/** Separates names in a list. No name contains a control character. */
const SEPARATOR = "\x1f";

/** An owner, and a UTC day. */
interface OwnerDay {
  readonly owner: string;
  readonly day: number;
}

/** The rows of the rollups in PostgreSQL, as a transaction sees them. In each statement `offset 0` forces an index search for each key. */
export class PostgresRollups implements RollupReader {
  /** Few statements per report, with bounded memory. */
  readonly bucketsAtOnce = 32;
  readonly #rows: PostgresRows;
  readonly #connection: PostgresConnection;
  readonly #series = new Map<string, SeriesOfPart>();
  /** The names in entries, which a report by name needs. */
  names: LoadedNames | undefined;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#rows = new PostgresRows(connection);
  }

  async *rowsIn(filter: RowFilter, ranges: readonly SlotRange[]): AsyncGenerator<readonly RangeRow[]> {
    const left = ranges.toReversed();
    // A slot has a row for each of the owners, who may be many.
    let slots = "one" in filter.owners ? FIRST_SLOTS : 1;
    while (left.length > 0) {
      const found = await this.#rowsOf(filter, takeSlots(left, slots));
      slots = found.length < ROWS_OF_REPORT / 2 ? slots * 2 : Math.max(1, Math.floor(slots / 2));
      yield found;
    }
  }

  async #rowsOf({ tables, owners, parts }: RowFilter, ranges: readonly SlotRange[]): Promise<readonly RangeRow[]> {
    const { sums, owner } = tables;
    const bounds = "one" in owners ? [owners.one] : [owners.after, owners.before];
    const isWanted = "one" in owners ? `${owner} = $4` : `${owner} > $4 and ${owner} < $5`;
    const isOfParts = parts ? `and part = any($${4 + bounds.length}::integer[])` : "";
    const found = await this.#rows.all<RowKey & EncodedCells & { place: number }>(
      `select span.place, found.* from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as span(grain, first_slot, end_slot, place),
        generate_series(first_slot, end_slot - 1) as wanted(slot),
        lateral (select ${owner} as owner, part, cells, figures from ${sums} as sums
          where sums.grain = span.grain and sums.slot = wanted.slot and ${isWanted} ${isOfParts} offset 0) as found`,
      [
        ranges.map(({ granularity }) => granularity),
        ranges.map(({ firstSlot }) => firstSlot),
        ranges.map(({ endSlot }) => endSlot),
        ...bounds,
        ...(parts ? [parts] : []),
      ],
    );
    return found.map(({ place, ...row }) => ({ ...row, range: ranges[place - 1]! }));
  }

  async *seriesIn(tables: SeriesTables, rows: readonly RowKey[], hasKeys: boolean, hasModels: boolean): AsyncGenerator<SeriesOfPart> {
    const keyOfPart = ({ owner, part }: RowKey): string => `${tables.series} ${hasKeys} ${hasModels} ${part}/${owner}`;
    const unknown = rows.filter((row) => !this.#series.has(keyOfPart(row)));
    // All statements are sent together: the database reads the next parts while these are added to the groups.
    const reads: Promise<readonly (SeriesOfPart & RowKey)[]>[] = [];
    for (let at = 0; at < unknown.length; at += PARTS_AT_ONCE) {
      const read = this.#readSeries(tables, unknown.slice(at, at + PARTS_AT_ONCE), hasKeys, hasModels);
      read.catch(() => undefined);
      reads.push(read);
    }
    for (const row of rows) {
      const known = this.#series.get(keyOfPart(row));
      if (known) yield known;
    }
    for (const read of reads) {
      for (const found of await read) {
        this.#series.set(keyOfPart(found), found);
        yield found;
      }
    }
  }

  async #readSeries(
    tables: SeriesTables,
    rows: readonly RowKey[],
    hasKeys: boolean,
    hasModels: boolean,
  ): Promise<readonly (SeriesOfPart & RowKey)[]> {
    const texts = [tables.name, ...(hasKeys ? ["key_id"] : []), ...(hasModels ? ["model"] : [])];
    // One text for each column: a row for each series takes ten times as long to receive, and JSON takes longer to make and to parse.
    const lists = texts.map((column, at) => `string_agg(${column}, $3) as texts_${at}`);
    // Aggregated for each part: one aggregation over all parts would spill to the disk.
    const sql = `select wanted.*, found.* from unnest($1::text[], $2::integer[]) as wanted(owner, part),
      lateral (select array_agg(id)::float8[] as ids, ${lists.join(", ")} from ${tables.series} as series
        where series.${tables.owner} = wanted.owner and series.part = wanted.part offset 0) as found`;
    const parameters = [rows.map(({ owner }) => owner), rows.map(({ part }) => part), SEPARATOR];
    const found = await this.#rows.all<RowKey & { ids: number[]; [list: `texts_${number}`]: string }>(sql, parameters);
    return found.map(({ owner, part, ids, ...aggregated }) => {
      const [names, ...others] = texts.map((_, at) => aggregated[`texts_${at}`]!.split(SEPARATOR)) as [string[], ...string[][]];
      return { owner, part, ids, names, keyIds: hasKeys ? others[0] : undefined, models: hasModels ? others.at(-1) : undefined };
    });
  }

  async partsWith(owner: string, names: readonly string[]): Promise<readonly number[]> {
    const sql = "select distinct part from attribution_series where owner = $1 and name = any($2::text[])";
    return (await this.#rows.all<{ part: number }>(sql, [owner, names])).map(({ part }) => part);
  }

  async extentsOf(accountId: string, slots: readonly number[]): Promise<ReadonlyMap<number, Extent>> {
    const rows = await this.#rows.all<Extent & { slot: number }>(
      `select slot, min(first_id) as "firstId", max(last_id) as "lastId", min(first_ms) as "firstMs", max(last_ms) as "lastMs" from usage_sums
      where grain = 'quarter' and slot = any($2::bigint[]) and account_id = $1 group by slot`,
      [accountId, slots],
    );
    return new Map(rows.map(({ slot, ...extent }) => [slot, extent]));
  }

  /** A journal that was applied late can make the extent of a quarter hour span days. */
  async idsIn(extent: Extent, { fromMs, toMs }: TimeSpan): Promise<readonly IdRange[]> {
    const ranges = await this.#rows.idRanges(fromMs, toMs);
    return ranges.map(({ firstId, lastId }) => ({ firstId: Math.max(firstId, extent.firstId), lastId: Math.min(lastId, extent.lastId) }));
  }

  async eventsIn({ firstId, lastId }: IdRange, accountId: string | undefined): Promise<readonly UsageEvent[]> {
    const events = await readPostgresEvents(this.#connection, firstId - 1, lastId, accountId);
    await this.names?.load(events);
    return events;
  }

  async quartersWithRows(): Promise<readonly number[]> {
    const sql = `select slot from (select min(slot) as slot from usage_sums where grain = 'quarter'
      union all select max(slot) from usage_sums where grain = 'quarter') as ends where slot is not null`;
    return (await this.#rows.all<{ slot: number }>(sql)).map(({ slot }) => slot);
  }
}

/** Removes ranges with at most `count` slots from the end of a list, and returns them. */
function takeSlots(ranges: SlotRange[], count: number): SlotRange[] {
  const taken: SlotRange[] = [];
  for (let left = count; left > 0 && ranges.length > 0;) {
    const next = ranges.pop()!;
    const endSlot = Math.min(next.endSlot, next.firstSlot + left);
    taken.push({ ...next, endSlot });
    left -= endSlot - next.firstSlot;
    if (endSlot < next.endSlot) ranges.push({ ...next, firstSlot: endSlot });
  }
  return taken;
}

/** The names that are stored in PostgreSQL. They are loaded before a batch of entries is summed, because summing is synchronous. */
export class LoadedNames implements StoredNames {
  readonly #connection: PostgresConnection;
  readonly #rows: PostgresRows;
  readonly #reader: PostgresRollups;
  readonly #namesPerDay: number;
  readonly #pending: () => Rollups;
  readonly #series = new Map<string, { id: number; part: number }>();
  readonly #lastIds = new Map<SeriesTables, number>();
  readonly #lastParts = new Map<string, { part: number; count: number }>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  readonly #limits = new Map<number, number>();
  readonly #newLimits = new Set<number>();
  readonly #tags = new Map<string, string[]>();
  readonly #newTags: { accountId: string; day: number; tag: string }[] = [];

  /** `pending`: rollups with names that are not in the database yet. */
  constructor(connection: PostgresConnection, namesPerDay: number, pending: () => Rollups, reader = new PostgresRollups(connection)) {
    this.#connection = connection;
    this.#reader = reader;
    this.#rows = new PostgresRows(connection);
    this.#namesPerDay = namesPerDay;
    this.#pending = pending;
  }

  /** Reads the names of the days of these events, or only the names of one dimension. */
  async load(events: readonly UsageEvent[], only?: AttributionDimension): Promise<void> {
    const days = new Map<string, OwnerDay>();
    const tagDays = new Map<string, { accountId: string; day: number }>();
    for (const { accountId, atMs, attribution } of events) {
      if (!attribution) continue;
      const day = dayOf(atMs);
      if (attribution.tags && !this.#tags.has(`${day}/${accountId}`)) tagDays.set(`${day}/${accountId}`, { accountId, day });
      for (const dimension of dimensionsOf(attribution)) {
        if (only !== undefined && dimension !== only) continue;
        const owner = ownerOf(dimension, accountId);
        if (!this.#names.has(`${day}/${owner}`)) days.set(`${day}/${owner}`, { owner, day });
      }
    }
    await Promise.all([this.#loadLimits([...days.values()]), this.#loadTags([...tagDays.values()]), this.#loadNames([...days.values()])]);
  }

  /** Reads the series of these events. */
  async loadSeries(events: readonly UsageEvent[]): Promise<void> {
    const wanted = { usage: new Map<string, SeriesNames>(), attribution: new Map<string, SeriesNames>() };
    const slicer = new TimeSlicer();
    for (const { accountId, keyId, model, upstream, attribution } of events) {
      addNames(wanted.usage, { owner: accountId, keyId, model, name: upstream });
      addNames(wanted.usage, { owner: EVERYBODY, keyId: "", model, name: upstream });
      for (const dimension of attribution ? dimensionsOf(attribution) : []) {
        const owner = ownerOf(dimension, accountId);
        for (const name of [nameIn(attribution!, dimension)!, OTHER_NAMES]) addNames(wanted.attribution, { owner, keyId, model, name });
      }
      if (slicer.isDue) await slicer.yield();
    }
    await Promise.all([
      this.#findSeries(USAGE, [...wanted.usage.values()]),
      this.#findSeries(ATTRIBUTION, [...wanted.attribution.values()]),
    ]);
  }

  lastSeriesId(tables: SeriesTables): number {
    return this.#lastIds.get(tables) ?? 0;
  }

  findSeries({ series }: SeriesTables, names: SeriesNames): { id: number; part: number } | undefined {
    return this.#series.get(`${series}\0${keyOf(names)}`);
  }

  lastPart({ series }: SeriesTables, owner: string): { part: number; count: number } {
    return this.#lastParts.get(`${series}\0${owner}`) ?? { part: 0, count: 0 };
  }

  *namesOfDay(owner: string, day: number): Generator<string> {
    yield* this.#names.get(`${day}/${owner}`) ?? [];
    for (const { cells } of this.#pending().pending("day", day, ATTRIBUTION, { one: owner }))
      for (const { name } of cells.keys()) yield name;
  }

  limitOfDay(day: number): number {
    const known = this.#limits.get(day);
    if (known !== undefined) return known;
    this.#limits.set(day, this.#namesPerDay);
    this.#newLimits.add(day);
    return this.#namesPerDay;
  }

  tagsOfDay(accountId: string, day: number): readonly string[] {
    return this.#tags.get(`${day}/${accountId}`) ?? [];
  }

  addTag(accountId: string, day: number, tag: string): void {
    this.#tags.set(`${day}/${accountId}`, [...this.tagsOfDay(accountId, day), tag]);
    this.#newTags.push({ accountId, day, tag });
  }

  /** Writes new limits and tags of days. */
  async save(): Promise<void> {
    await this.#connection.query(
      "insert into attribution_days (day, names) select day, $2 from unnest($1::integer[]) as day on conflict (day) do nothing",
      [[...this.#newLimits], this.#namesPerDay],
    );
    await this.#connection.query(
      "insert into attribution_tag_days (account_id, day, tag) select * from unnest($1::text[], $2::integer[], $3::text[]) on conflict do nothing",
      [this.#newTags.map(({ accountId }) => accountId), this.#newTags.map(({ day }) => day), this.#newTags.map(({ tag }) => tag)],
    );
  }

  async #loadLimits(days: readonly OwnerDay[]): Promise<void> {
    const sql = "select day, names from attribution_days where day = any($1::integer[])";
    const limits = await this.#rows.all<{ day: number; names: number }>(sql, [[...new Set(days.map(({ day }) => day))]]);
    for (const { day, names } of limits) if (!this.#limits.has(day)) this.#limits.set(day, names);
  }

  async #loadTags(days: readonly { accountId: string; day: number }[]): Promise<void> {
    if (days.length === 0) return;
    const sql = `select account_id, day, tag from unnest($1::text[], $2::integer[]) as wanted(account_id, day)
      join attribution_tag_days as tags using (account_id, day)`;
    const found = await this.#rows.all<{ account_id: string; day: number; tag: string }>(sql, [
      days.map(({ accountId }) => accountId),
      days.map(({ day }) => day),
    ]);
    for (const { accountId, day } of days) this.#tags.set(`${day}/${accountId}`, []);
    for (const { account_id: accountId, day, tag } of found) this.#tags.get(`${day}/${accountId}`)!.push(tag);
  }

  async #loadNames(days: readonly OwnerDay[]): Promise<void> {
    if (days.length === 0) return;
    const sql = `select wanted.place, found.* from unnest($1::text[], $2::bigint[]) with ordinality as wanted(owner, day, place),
      lateral (select part, cells, figures from attribution_sums as sums
        where sums.grain = 'day' and sums.slot = wanted.day and sums.owner = wanted.owner offset 0) as found`;
    const rows = await this.#rows.all<EncodedCells & { place: number; part: number }>(sql, [
      days.map(({ owner }) => owner),
      days.map(({ day }) => day),
    ]);
    const parts = new Map<string, RowKey>();
    for (const { place, part } of rows) parts.set(`${part}/${days[place - 1]!.owner}`, { owner: days[place - 1]!.owner, part });
    const nameOf = new Map<number, string>();
    for await (const { ids, names } of this.#reader.seriesIn(ATTRIBUTION, [...parts.values()], false, false)) {
      ids.forEach((id, at) => nameOf.set(id, names[at]!));
    }
    const slicer = new TimeSlicer();
    const found = days.map(() => new Set<string>());
    for (const { place, ...row } of rows) {
      readCells(row, (series) => void found[place - 1]!.add(nameOf.get(series)!));
      if (slicer.isDue) await slicer.yield();
    }
    days.forEach(({ owner, day }, at) => this.#names.set(`${day}/${owner}`, found[at]!));
  }

  async #findSeries(tables: SeriesTables, wanted: readonly SeriesNames[]): Promise<void> {
    const { series, owner, name } = tables;
    const owners = [...new Set(wanted.map((each) => each.owner))];
    const [[last], parts, found] = await Promise.all([
      this.#rows.all<{ id: number | null }>(`select max(id) as id from ${series}`),
      this.#rows.all<{ owner: string; part: number; count: number }>(
        `select owner, part, (select count(*) from ${series} as series where series.${owner} = wanted.owner and series.part = last.part) as count
        from unnest($1::text[]) as wanted(owner),
          lateral (select max(part) as part from ${series} as series where series.${owner} = wanted.owner) as last where part is not null`,
        [owners],
      ),
      this.#rows.all<{ place: number; id: number; part: number }>(
        `select wanted.place, found.* from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
            as wanted(owner, key_id, model, name, place),
          lateral (select id, part from ${series} as series where series.${owner} = wanted.owner and series.${name} = wanted.name
            and series.key_id = wanted.key_id and series.model = wanted.model limit 1) as found`,
        [
          wanted.map((each) => each.owner),
          wanted.map(({ keyId }) => keyId),
          wanted.map(({ model }) => model),
          wanted.map((each) => each.name),
        ],
      ),
    ]);
    this.#lastIds.set(tables, last!.id ?? 0);
    for (const { owner: id, part, count } of parts) this.#lastParts.set(`${series}\0${id}`, { part, count });
    for (const { place, id, part } of found) this.#series.set(`${series}\0${keyOf(wanted[place - 1]!)}`, { id, part });
  }
}

function addNames(among: Map<string, SeriesNames>, names: SeriesNames): void {
  among.set(keyOf(names), names);
}

function keyOf({ owner, keyId, model, name }: SeriesNames): string {
  return `${owner}\0${keyId}\0${model}\0${name}`;
}

/** Inserts the new series. */
export async function saveSeries(connection: PostgresConnection, { tables, unsaved }: SeriesBook): Promise<void> {
  if (unsaved.length === 0) return;
  await connection.query(
    `insert into ${tables.series} (id, ${tables.owner}, key_id, model, ${tables.name}, part)
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[])`,
    [
      unsaved.map(({ id }) => id),
      unsaved.map(({ owner }) => owner),
      unsaved.map(({ keyId }) => keyId),
      unsaved.map(({ model }) => model),
      unsaved.map(({ name }) => name),
      unsaved.map(({ part }) => part),
    ],
  );
}

/** Adds pending rows to the rows in the database. Only one process may do this at a time. */
export async function addToRows(connection: PostgresConnection, tables: SeriesTables, added: readonly PendingRowOfSlot[]): Promise<void> {
  const rows = new PostgresRows(connection);
  const { sums, owner } = tables;
  const keys = "unnest($1::text[], $2::bigint[], $3::text[], $4::integer[]";
  const read = `select wanted.place, found.* from ${keys}) with ordinality as wanted(grain, slot, owner, part, place),
    lateral (select cells, figures from ${sums} as sums where sums.grain = wanted.grain and sums.slot = wanted.slot
      and sums.${owner} = wanted.owner and sums.part = wanted.part offset 0) as found`;
  const write = `insert into ${sums} (grain, slot, ${owner}, part, cells, first_id, last_id, first_ms, last_ms, figures)
    select *, ${FIGURE_COUNT} from ${keys}, $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
    on conflict (grain, slot, ${owner}, part) do update set cells = excluded.cells, figures = excluded.figures,
      first_id = least(${sums}.first_id, excluded.first_id), last_id = greatest(${sums}.last_id, excluded.last_id),
      first_ms = least(${sums}.first_ms, excluded.first_ms), last_ms = greatest(${sums}.last_ms, excluded.last_ms)`;
  const slicer = new TimeSlicer();
  for (let from = 0; from < added.length; from += ROWS_AT_ONCE) {
    const some = added.slice(from, from + ROWS_AT_ONCE);
    const columns = [
      some.map(({ granularity }) => granularity),
      some.map(({ slot }) => slot),
      some.map(({ row }) => row.owner),
      some.map(({ row }) => row.part),
    ];
    const stored = new Map<number, EncodedCells>();
    for (const { place, ...cells } of await rows.all<EncodedCells & { place: number }>(read, columns)) stored.set(place - 1, cells);
    const cells: Uint8Array[] = [];
    for (const [at, { row }] of some.entries()) {
      cells.push(mergeCells(stored.get(at), sumsById(row)));
      if (slicer.isDue) await slicer.yield();
    }
    const extents = (["firstId", "lastId", "firstMs", "lastMs"] as const).map((name) => some.map(({ row }) => row[name]));
    await connection.query(write, [...columns, cells, ...extents]);
  }
}

/** Sums refer to series by their ids, which stay. */
export async function renameSeries(connection: PostgresConnection, owner: string, names: readonly string[]): Promise<void> {
  await connection.query(`update attribution_series set name = '${ERASED}' where owner = $1 and name = any($2::text[])`, [owner, names]);
}

/**
 * The attribution that a report by a dimension needs. For a tag it includes all tags, because whether a tag has rollups depends on the
 * other tags.
 */
export function onlyDimension(event: UsageEvent, dimension: AttributionDimension): UsageEvent {
  const { attribution } = event;
  if (!attribution) return event;
  if (tagOf(dimension) !== undefined) return { ...event, attribution: { tags: attribution.tags } };
  return { ...event, attribution: { [dimension]: nameIn(attribution, dimension) } };
}
