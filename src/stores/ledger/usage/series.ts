import type { AttributionDimension } from "../../../money/attribution.ts";
import type { Figures } from "./figures.ts";
import { ATTRIBUTED_GRANULARITIES, GRANULARITIES, type Granularity } from "./granularity.ts";

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

/** The tables of a kind of series, and of their sums. */
export interface SeriesTables {
  readonly series: string;
  readonly sums: string;
  /** The column with the owner of a series. */
  readonly owner: string;
  /** The column with the name of a series, besides its key and model. */
  readonly name: string;
  /** The granularities of its rollups, finest first. */
  readonly granularities: readonly Granularity[];
  /** Its shards are numbered from here on, so that each kind of series has its own watermarks. */
  readonly firstShard: number;
}

/** Series of accounts, and of `EVERYBODY`, by key, model and upstream. */
export const USAGE: SeriesTables = {
  series: "usage_series",
  sums: "usage_sums",
  owner: "account_id",
  name: "upstream",
  granularities: GRANULARITIES,
  firstShard: 0,
};

/** Series of the end users, the conversations or the values of a tag of an account, by key and model. */
export const ATTRIBUTION: SeriesTables = {
  series: "attribution_series",
  sums: "attribution_sums",
  owner: "owner",
  name: "name",
  granularities: ATTRIBUTED_GRANULARITIES,
  firstShard: 2 ** 40,
};

export function tablesOf(shard: number): SeriesTables {
  return shard < ATTRIBUTION.firstShard ? USAGE : ATTRIBUTION;
}

/** A range of owners: one owner, or all owners between two others, exclusive. */
export type Owners = { readonly one: string } | { readonly after: string; readonly before: string };

/** `EVERYBODY` comes before all accounts. */
export const ALL_ACCOUNTS: Owners = { after: EVERYBODY, before: "\uffff" };

export function isAmong(owner: string, owners: Owners): boolean {
  return "one" in owners ? owner === owners.one : owner > owners.after && owner < owners.before;
}

/** The owner of the series of a dimension of an account. The names of tags contain no slash. */
export function ownerOf(dimension: AttributionDimension, accountId: string): string {
  return `${dimension}/${accountId}`;
}

export function accountOfOwner(owner: string): string {
  return owner.slice(owner.indexOf("/") + 1);
}

/** The range of owners of a dimension: of one account, or of all. */
export function ownersOf(dimension: AttributionDimension, accountId: string | undefined): Owners {
  // "0" is the character after the slash.
  return accountId === undefined ? { after: `${dimension}/`, before: `${dimension}0` } : { one: ownerOf(dimension, accountId) };
}

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

type Level = Map<string, Level | Series>;

/** The series in the database. */
export interface StoredSeries {
  lastSeriesId(tables: SeriesTables): number;
  findSeries(tables: SeriesTables, names: SeriesNames): { id: number; part: number } | undefined;
  /** The last part of an owner, and the number of series in it. */
  lastPart(tables: SeriesTables, owner: string): { part: number; count: number };
}

/**
 * The series, with their ids and parts, which never change, because stored sums refer to them. A series must be in the database before any
 * sum of it. Otherwise a start that reads the entries again could assign it another part, whose rows have a higher watermark, and would not
 * count it.
 */
export class SeriesBook {
  readonly tables: SeriesTables;
  readonly #stored: StoredSeries;
  readonly #inOneRow: number;
  readonly #maxCached: number;
  #byNames: Level = new Map();
  #cached = 0;
  #nextId: number;
  /** The last part of each owner, and the number of series in it. */
  #ends = new Map<string, { part: number; count: number }>();
  #unsaved: Series[] = [];

  constructor(stored: StoredSeries, inOneRow: number, tables: SeriesTables, maxCached: number) {
    this.tables = tables;
    this.#stored = stored;
    this.#inOneRow = inOneRow;
    this.#maxCached = maxCached;
    this.#nextId = 1 + stored.lastSeriesId(tables);
  }

  /** A series that is in memory. */
  known(owner: string, keyId: string, model: string, name: string): Series | undefined {
    const ofKey = (this.#byNames.get(owner) as Level | undefined)?.get(keyId) as Level | undefined;
    return (ofKey?.get(model) as Level | undefined)?.get(name) as Series | undefined;
  }

  find(owner: string, keyId: string, model: string, name: string): Series {
    if (this.#cached > this.#maxCached && this.#unsaved.length === 0) this.forget();
    const level = nextLevel(nextLevel(nextLevel(this.#byNames, owner), keyId), model);
    const known = level.get(name) as Series | undefined;
    if (known) return known;
    const hasAll = this.tables === USAGE && owner !== EVERYBODY;
    const ofAll = hasAll ? this.find(EVERYBODY, "", model, name) : undefined;
    const names = { owner, keyId, model, name };
    const stored = this.#stored.findSeries(this.tables, names);
    const { id, part } = stored ?? this.#assign(owner);
    const shard = shardOf(this.tables, owner, part);
    const series: Series = { ...names, id, part, shard, ofAll, admittedDay: NaN, batch: undefined };
    if (!stored) this.#unsaved.push(series);
    level.set(name, series);
    this.#cached++;
    return series;
  }

  /** New series, which are not in the database yet. */
  get unsaved(): readonly Series[] {
    return this.#unsaved;
  }

  /** The first of the new series are in the database. */
  saved(count: number): void {
    this.#unsaved = this.#unsaved.slice(count);
  }

  /** Forgets the series in memory: call this only while all of them are saved. */
  forget(): void {
    this.#byNames = new Map();
    this.#ends = new Map();
    this.#cached = 0;
  }

  #assign(owner: string): { id: number; part: number } {
    let end = this.#ends.get(owner);
    if (!end) this.#ends.set(owner, (end = this.#stored.lastPart(this.tables, owner)));
    if (end.count >= this.#inOneRow) [end.part, end.count] = [end.part + 1, 0];
    end.count++;
    return { id: this.#nextId++, part: end.part };
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
