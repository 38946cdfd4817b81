import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { transactSoon } from "../erasure/transact-soon.ts";
import type { Figures } from "./figures.ts";
import { USAGE, type SeriesTables } from "./series-tables.ts";

/**
 * A series: the usage of an owner with a key, a model and a name. Either the owner is an account, or `EVERYBODY` with an empty key, and the
 * name is an upstream. Or the owner is a dimension of an account, such as its end users, and the name is a value of the dimension.
 */
export interface SeriesNames {
  readonly owner: string;
  readonly keyId: string;
  readonly model: string;
  readonly name: string;
}

/** Used instead of an account, for the usage of all accounts. No account has this id. */
export const EVERYBODY = "";

/** The number of groups into which owners are hashed. `EVERYBODY` has an additional group. */
const OWNER_GROUPS = 64;

/** A series in memory. */
export interface Series extends SeriesNames {
  /** Its id in the database. */
  readonly id: number;
  /** The part of the owner's rows that contains it. */
  readonly part: number;
  readonly shard: number;
  /** The series of `EVERYBODY` with the same model and upstream; undefined for series of `EVERYBODY` and for attribution. */
  readonly ofAll: Series | undefined;
  /** The last day on which its name was within the limit of names. */
  admittedDay: number;
  /** Its open batch, if any. */
  batch: UsageBatch | undefined;
}

/** A range of entries: the first and last id, and the earliest and latest time. */
export interface Extent {
  firstId: number;
  lastId: number;
  firstMs: number;
  lastMs: number;
}

/** The usage of one series in one quarter hour, summed before it is added to the rollups. */
export interface UsageBatch extends Extent {
  readonly series: Series;
  readonly quarter: number;
  readonly figures: Figures;
}

/** The series of one part of an owner's rows, as parallel lists. */
interface NamesOfPart {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  readonly keyIds: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
}

type Level = Map<string, Level | Series>;

const RENAMED_AT_ONCE = 100;

/** The limit of the cache of series. Beyond it the cache is cleared, and series are looked up again by their names. */
const MAX_CACHED = 100_000;

/**
 * The series, with their ids and parts, which never change, because stored sums refer to them. A series must be in the database before any
 * sum of it. Otherwise a start that reads the entries again could assign it another part, whose rows have a higher watermark, and would not
 * count it.
 */
export class SeriesBook {
  readonly tables: SeriesTables;
  readonly #file: SqliteFile;
  readonly #inOneRow: number;
  #byNames: Level = new Map();
  #cached = 0;
  #nextId: number;
  /** The last part of each owner, and the number of series in it. */
  #ends = new Map<string, { part: number; count: number }>();
  #unsaved: Series[] = [];

  constructor(file: SqliteFile, inOneRow: number, tables: SeriesTables) {
    this.tables = tables;
    this.#file = file;
    this.#inOneRow = inOneRow;
    this.#nextId = 1 + (file.query<{ id: number | null }, []>(`select max(id) as id from ${tables.series}`).get()?.id ?? 0);
  }

  /** A series that is in memory. */
  known(owner: string, keyId: string, model: string, name: string): Series | undefined {
    const ofKey = (this.#byNames.get(owner) as Level | undefined)?.get(keyId) as Level | undefined;
    return (ofKey?.get(model) as Level | undefined)?.get(name) as Series | undefined;
  }

  find(owner: string, keyId: string, model: string, name: string): Series {
    if (this.#cached > MAX_CACHED && this.#unsaved.length === 0) this.#forget();
    const level = nextLevel(nextLevel(nextLevel(this.#byNames, owner), keyId), model);
    const known = level.get(name) as Series | undefined;
    if (known) return known;
    const hasAll = this.tables === USAGE && owner !== EVERYBODY;
    const ofAll = hasAll ? this.find(EVERYBODY, "", model, name) : undefined;
    const names = { owner, keyId, model, name };
    const stored = this.#readStored(names);
    const { id, part } = stored ?? this.#assign(owner);
    const shard = shardOf(this.tables, owner, part);
    const series: Series = { ...names, id, part, shard, ofAll, admittedDay: NaN, batch: undefined };
    if (!stored) this.#unsaved.push(series);
    level.set(name, series);
    this.#cached++;
    return series;
  }

  /**
   * Inserts new series until a deadline, and returns their number. Call it in a transaction, and `saved` after the commit.
   */
  save(untilMs: number): number {
    const { series: table, owner: ownerColumn, name: nameColumn } = this.tables;
    const columns = `id, ${ownerColumn}, key_id, model, ${nameColumn}, part`;
    const insert = this.#file.query(`insert or ignore into ${table} (${columns}) values (?, ?, ?, ?, ?, ?)`);
    let count = 0;
    while (count < this.#unsaved.length && (count === 0 || performance.now() < untilMs)) {
      const { id, owner, keyId, model, name, part } = this.#unsaved[count++]!;
      insert.run(id, owner, keyId, model, name, part);
    }
    return count;
  }

  saved(count: number): void {
    this.#unsaved = this.#unsaved.slice(count);
  }

  get unsaved(): number {
    return this.#unsaved.length;
  }

  /**
   * The names of all series in one part of an owner's rows, mostly in the order of their names, which is the order of the index. Keys and
   * models are read only on request, because the index lacks them.
   */
  namesIn(owner: string, part: number, hasKeys = false, hasModels = false): NamesOfPart {
    const { series, owner: ownerColumn, name: nameColumn } = this.tables;
    const columns = ["id", nameColumn, ...(hasKeys ? ["key_id"] : []), ...(hasModels ? ["model"] : [])];
    // As JSON: one row for each series takes twice as long.
    const lists = columns.map((column) => `json_group_array(${column})`).join(", ");
    const sql = `select ${lists} from ${series} where ${ownerColumn} = ? and part = ?`;
    const [row] = this.#file.query<unknown, [string, number]>(sql).values(owner, part) as [string[]];
    const [ids, names, ...others] = row.map((list) => JSON.parse(list) as unknown) as [number[], string[], ...string[][]];
    return { ids, names, keyIds: hasKeys ? others[0] : undefined, models: hasModels ? others.at(-1) : undefined };
  }

  /** The parts of an owner's stored rows that have series with one of these names. */
  partsWith(owner: string, wanted: readonly string[]): number[] {
    const { series, owner: ownerColumn, name: nameColumn } = this.tables;
    const sql = `select distinct part from ${series} where ${ownerColumn} = ? and ${nameColumn} = ?`;
    const find = this.#file.query<{ part: number }, [string, string]>(sql);
    return [...new Set(wanted.flatMap((name) => find.all(owner, name).map(({ part }) => part)))];
  }

  /** Renames the stored series of an owner, in slices. Afterwards several series may have the same name, and reports add them up. */
  async rename(owner: string, names: Iterable<string>, name: string): Promise<void> {
    const { series, owner: ownerColumn, name: nameColumn } = this.tables;
    const update = this.#file.query(`update ${series} set ${nameColumn} = ? where ${ownerColumn} = ? and ${nameColumn} = ?`);
    const all = [...names];
    for (let at = 0; at < all.length; at += RENAMED_AT_ONCE) {
      const some = all.slice(at, at + RENAMED_AT_ONCE);
      await transactSoon(this.#file, () => some.forEach((old) => update.run(name, owner, old)));
      await nextTurn();
    }
    this.#forget();
  }

  #readStored({ owner, keyId, model, name }: SeriesNames): { id: number; part: number } | undefined {
    const { series, owner: ownerColumn, name: nameColumn } = this.tables;
    const sql = `select id, part from ${series} where ${ownerColumn} = ? and key_id = ? and model = ? and ${nameColumn} = ?`;
    return this.#file.query<{ id: number; part: number }, string[]>(sql).get(owner, keyId, model, name) ?? undefined;
  }

  #assign(owner: string): { id: number; part: number } {
    let end = this.#ends.get(owner);
    if (!end) this.#ends.set(owner, (end = this.#lastPart(owner)));
    if (end.count >= this.#inOneRow) [end.part, end.count] = [end.part + 1, 0];
    end.count++;
    return { id: this.#nextId++, part: end.part };
  }

  #lastPart(owner: string): { part: number; count: number } {
    const { series, owner: ownerColumn } = this.tables;
    const sql = `select part, count(*) as count from ${series} where ${ownerColumn} = ? group by part order by part desc limit 1`;
    return this.#file.query<{ part: number; count: number }, [string]>(sql).get(owner) ?? { part: 0, count: 0 };
  }

  #forget(): void {
    this.#byNames = new Map();
    this.#ends = new Map();
    this.#cached = 0;
  }
}

/**
 * The shard of a part of an owner. A shard is written as a unit. Stable across restarts, because the database has a watermark for each
 * shard.
 */
export function shardOf({ firstShard }: SeriesTables, owner: string, part: number): number {
  return firstShard + part * (OWNER_GROUPS + 1) + groupOf(owner);
}

export function partOf({ firstShard }: SeriesTables, shard: number): number {
  return Math.floor((shard - firstShard) / (OWNER_GROUPS + 1));
}

function groupOf(owner: string): number {
  if (owner === EVERYBODY) return OWNER_GROUPS;
  let hash = 0;
  for (let at = 0; at < owner.length; at++) hash = (Math.imul(hash, 31) + owner.charCodeAt(at)) >>> 0;
  return hash % OWNER_GROUPS;
}

function nextLevel(level: Level, name: string): Level {
  let next = level.get(name) as Level | undefined;
  if (!next) level.set(name, (next = new Map()));
  return next;
}
