import type { Database as SqliteFile } from "bun:sqlite";
import type { Figures } from "./figures.ts";

/** Whose use is added up apart from others': an account's key with a model and an upstream. Or, with the first two empty, everybody's. */
export interface SeriesNames {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly upstream: string;
}

/** In place of an account, where what all of them use is added up. No account has this id. */
export const EVERYBODY = "";

/** Into so many parts the accounts are divided; behind them comes one of what everybody uses. */
export const SHARDS = 16;

/** A series while it is used. Its number is found when it is first written, and holds for as long as nothing fails. */
export interface Series extends SeriesNames {
  id: number;
  numbering: number;
  readonly shard: number;
  /** What the same counts as among everybody's. */
  readonly ofAll: Series | undefined;
  /** What was gathered of it last. */
  gathered: Gathered | undefined;
}

/** Which entries something is of: the first and the last of them, and of which times. */
export interface Extent {
  firstId: number;
  lastId: number;
  firstMs: number;
  lastMs: number;
}

/** Some uses of one series in one quarter hour. */
export interface Gathered extends Extent {
  readonly series: Series;
  readonly quarter: number;
  readonly figures: Figures;
}

type Level = Map<string, Level | Series>;

/** More than this are forgotten, and found again by their names. */
const MAX_KEPT = 50_000;

/** The series that come up, and their numbers in the database. */
export class SeriesBook {
  readonly #file: SqliteFile;
  #byNames: Level = new Map();
  #kept = 0;
  #numbering = 1;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  find({ accountId, keyId, model, upstream }: SeriesNames): Series {
    if (this.#kept > MAX_KEPT) this.#forget();
    const level = below(below(below(this.#byNames, accountId), keyId), model);
    const known = level.get(upstream) as Series | undefined;
    if (known) return known;
    const ofAll = accountId === EVERYBODY ? undefined : this.find({ accountId: EVERYBODY, keyId: "", model, upstream });
    const series: Series = {
      accountId,
      keyId,
      model,
      upstream,
      id: 0,
      numbering: 0,
      shard: shardOf(accountId),
      ofAll,
      gathered: undefined,
    };
    level.set(upstream, series);
    this.#kept++;
    return series;
  }

  /** The number of a series, which is given to it where it has none. Belongs into the transaction that writes what it is for. */
  numberOf(series: Series): number {
    if (series.numbering === this.#numbering) return series.id;
    const names = [series.accountId, series.keyId, series.model, series.upstream];
    this.#file.query("insert or ignore into usage_series (account_id, key_id, model, upstream) values (?, ?, ?, ?)").run(...names);
    const sql = "select id from usage_series where account_id = ? and key_id = ? and model = ? and upstream = ?";
    series.id = this.#file.query<{ id: number }, string[]>(sql).get(...names)!.id;
    series.numbering = this.#numbering;
    return series.id;
  }

  /** A transaction came to nothing, and with it the numbers that it may have given. */
  forgetNumbers(): void {
    this.#numbering++;
  }

  namesOf(id: number): SeriesNames {
    const sql = "select account_id, key_id, model, upstream from usage_series where id = ?";
    const [accountId, keyId, model, upstream] = this.#file.query<unknown, [number]>(sql).values(id)[0] as [string, string, string, string];
    return { accountId, keyId, model, upstream };
  }

  #forget(): void {
    this.#byNames = new Map();
    this.#kept = 0;
  }
}

/** The same for an account at each start: what it has in the database was counted under this. */
function shardOf(accountId: string): number {
  if (accountId === EVERYBODY) return SHARDS;
  let hash = 0;
  for (let at = 0; at < accountId.length; at++) hash = (Math.imul(hash, 31) + accountId.charCodeAt(at)) >>> 0;
  return hash % SHARDS;
}

function below(level: Level, name: string): Level {
  let next = level.get(name) as Level | undefined;
  if (!next) level.set(name, (next = new Map()));
  return next;
}
