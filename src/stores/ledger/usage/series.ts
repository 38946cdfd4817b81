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

/** Into so many groups accounts are divided, and what everybody uses is one more. */
const ACCOUNT_GROUPS = 64;

/** A series while it is used. */
export interface Series extends SeriesNames {
  /** Its number in the database. */
  readonly id: number;
  /** Which of the account's rows it stands in. */
  readonly part: number;
  readonly shard: number;
  /** What the same counts as among everybody's. */
  readonly ofAll: Series | undefined;
  /** What was gathered of it last. */
  gathered: UsageBatch | undefined;
}

/** Which entries something is of: the first and the last of them, and of which times. */
export interface Extent {
  firstId: number;
  lastId: number;
  firstMs: number;
  lastMs: number;
}

/** Some uses of one series in one quarter hour. */
export interface UsageBatch extends Extent {
  readonly series: Series;
  readonly quarter: number;
  readonly figures: Figures;
}

type Level = Map<string, Level | Series>;

/** More than this are forgotten, and found again by their names. */
const MAX_KEPT = 50_000;

/**
 * The series that come up. Each has a number and a part of its account's rows, for ever: what is in the database was counted under
 * these. So all that came up must be there before any sums are: a start that reads the entries again could give one another part,
 * whose rows count further already, and would leave it out.
 */
export class SeriesBook {
  readonly #file: SqliteFile;
  readonly #inOneRow: number;
  #byNames: Level = new Map();
  #journaled = 0;
  #nextId: number;
  /** Where an account's next series goes. */
  #ends = new Map<string, { part: number; count: number }>();
  #unsaved: Series[] = [];

  constructor(file: SqliteFile, inOneRow: number) {
    this.#file = file;
    this.#inOneRow = inOneRow;
    this.#nextId = 1 + (file.query<{ id: number | null }, []>("select max(id) as id from usage_series").get()?.id ?? 0);
  }

  find(names: SeriesNames): Series {
    const { accountId, keyId, model, upstream } = names;
    if (this.#journaled > MAX_KEPT && this.#unsaved.length === 0) this.#forget();
    const level = below(below(below(this.#byNames, accountId), keyId), model);
    const known = level.get(upstream) as Series | undefined;
    if (known) return known;
    const ofAll = accountId === EVERYBODY ? undefined : this.find({ accountId: EVERYBODY, keyId: "", model, upstream });
    const stored = this.#look(names);
    const { id, part } = stored ?? this.#place(accountId);
    const shard = shardOf(accountId, part);
    const series: Series = { accountId, keyId, model, upstream, id, part, shard, ofAll, gathered: undefined };
    if (!stored) this.#unsaved.push(series);
    level.set(upstream, series);
    this.#journaled++;
    return series;
  }

  /**
   * Writes those that are new until this moment, and says how many. Belongs into a transaction; when that is known to be done they
   * are `saved`.
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

  /** The names of all in one part of an account's rows, by their numbers. */
  namesIn(accountId: string, part: number): [id: number, names: SeriesNames][] {
    const sql = "select id, key_id, model, upstream from usage_series where account_id = ? and part = ?";
    const rows = this.#file.query<unknown, [string, number]>(sql).values(accountId, part) as [number, string, string, string][];
    return rows.map(([id, keyId, model, upstream]) => [id, { accountId, keyId, model, upstream }]);
  }

  #look({ accountId, keyId, model, upstream }: SeriesNames): { id: number; part: number } | undefined {
    const sql = "select id, part from usage_series where account_id = ? and key_id = ? and model = ? and upstream = ?";
    return this.#file.query<{ id: number; part: number }, string[]>(sql).get(accountId, keyId, model, upstream) ?? undefined;
  }

  #place(accountId: string): { id: number; part: number } {
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
    this.#journaled = 0;
  }
}

/** What is written at once. The same at each start: how far each had come is in the database. */
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
