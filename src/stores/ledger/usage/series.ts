import type { Database as SqliteFile } from "bun:sqlite";
import type { Figures } from "./figures.ts";

/** A series: the usage of an account's key with a model and an upstream. With an empty account and key, that of everybody. */
export interface SeriesNames {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly upstream: string;
}

/** In the place of an account, for the usage of all accounts. No account has this id. */
export const EVERYBODY = "";

/** Accounts are hashed into 64 groups. `EVERYBODY` is one more. */
const ACCOUNT_GROUPS = 64;

/** A series in memory. */
export interface Series extends SeriesNames {
  /** Its id in the database. */
  readonly id: number;
  /** Which of the account's rows it is in. */
  readonly part: number;
  readonly shard: number;
  /** The series of `EVERYBODY` with the same model and upstream. */
  readonly ofAll: Series | undefined;
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

type Level = Map<string, Level | Series>;

/** The limit of the cache of series. Above it the cache is cleared, and series are looked up again by their names. */
const MAX_CACHED = 50_000;

/**
 * The series, with their ids and parts, which never change: stored sums refer to them. A series must be in the database before any sum of it:
 * otherwise a start that reads the entries again could assign it another part, whose rows have a higher watermark, and would not count it.
 */
export class SeriesBook {
  readonly #file: SqliteFile;
  readonly #inOneRow: number;
  #byNames: Level = new Map();
  #cached = 0;
  #nextId: number;
  /** The last part of each account, and the number of series in it. */
  #ends = new Map<string, { part: number; count: number }>();
  #unsaved: Series[] = [];

  constructor(file: SqliteFile, inOneRow: number) {
    this.#file = file;
    this.#inOneRow = inOneRow;
    this.#nextId = 1 + (file.query<{ id: number | null }, []>("select max(id) as id from usage_series").get()?.id ?? 0);
  }

  find(names: SeriesNames): Series {
    const { accountId, keyId, model, upstream } = names;
    if (this.#cached > MAX_CACHED && this.#unsaved.length === 0) this.#forget();
    const level = below(below(below(this.#byNames, accountId), keyId), model);
    const known = level.get(upstream) as Series | undefined;
    if (known) return known;
    const ofAll = accountId === EVERYBODY ? undefined : this.find({ accountId: EVERYBODY, keyId: "", model, upstream });
    const stored = this.#readStored(names);
    const { id, part } = stored ?? this.#assign(accountId);
    const shard = shardOf(accountId, part);
    const series: Series = { accountId, keyId, model, upstream, id, part, shard, ofAll, batch: undefined };
    if (!stored) this.#unsaved.push(series);
    level.set(upstream, series);
    this.#cached++;
    return series;
  }

  /**
   * Inserts new series until a deadline, and returns their number. Call it in a transaction, and `saved` after the commit.
   */
  save(untilMs: number): number {
    const insert = this.#file.query(
      "insert or ignore into usage_series (id, account_id, key_id, model, upstream, part) values (?, ?, ?, ?, ?, ?)",
    );
    let count = 0;
    while (count < this.#unsaved.length && (count === 0 || performance.now() < untilMs)) {
      const { id, accountId, keyId, model, upstream, part } = this.#unsaved[count++]!;
      insert.run(id, accountId, keyId, model, upstream, part);
    }
    return count;
  }

  saved(count: number): void {
    this.#unsaved = this.#unsaved.slice(count);
  }

  get unsaved(): number {
    return this.#unsaved.length;
  }

  /** The names of all series in one part of an account's rows, by id. */
  namesIn(accountId: string, part: number): [id: number, names: SeriesNames][] {
    const sql = "select id, key_id, model, upstream from usage_series where account_id = ? and part = ?";
    const rows = this.#file.query<unknown, [string, number]>(sql).values(accountId, part) as [number, string, string, string][];
    return rows.map(([id, keyId, model, upstream]) => [id, { accountId, keyId, model, upstream }]);
  }

  #readStored({ accountId, keyId, model, upstream }: SeriesNames): { id: number; part: number } | undefined {
    const sql = "select id, part from usage_series where account_id = ? and key_id = ? and model = ? and upstream = ?";
    return this.#file.query<{ id: number; part: number }, string[]>(sql).get(accountId, keyId, model, upstream) ?? undefined;
  }

  #assign(accountId: string): { id: number; part: number } {
    let end = this.#ends.get(accountId);
    if (!end) this.#ends.set(accountId, (end = this.#lastPart(accountId)));
    if (end.count >= this.#inOneRow) [end.part, end.count] = [end.part + 1, 0];
    end.count++;
    return { id: this.#nextId++, part: end.part };
  }

  #lastPart(accountId: string): { part: number; count: number } {
    const sql = "select part, count(*) as count from usage_series where account_id = ? group by part order by part desc limit 1";
    return this.#file.query<{ part: number; count: number }, [string]>(sql).get(accountId) ?? { part: 0, count: 0 };
  }

  #forget(): void {
    this.#byNames = new Map();
    this.#ends = new Map();
    this.#cached = 0;
  }
}

/** The shard of a part of an account, which is written as a unit. Stable across restarts: the database has a watermark for each. */
export function shardOf(accountId: string, part: number): number {
  return part * (ACCOUNT_GROUPS + 1) + groupOf(accountId);
}

export function partOf(shard: number): number {
  return Math.floor(shard / (ACCOUNT_GROUPS + 1));
}

function groupOf(accountId: string): number {
  if (accountId === EVERYBODY) return ACCOUNT_GROUPS;
  let hash = 0;
  for (let at = 0; at < accountId.length; at++) hash = (Math.imul(hash, 31) + accountId.charCodeAt(at)) >>> 0;
  return hash % ACCOUNT_GROUPS;
}

function below(level: Level, name: string): Level {
  let next = level.get(name) as Level | undefined;
  if (!next) level.set(name, (next = new Map()));
  return next;
}
