import type { Database as SqliteFile } from "bun:sqlite";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import { ERASED, nameIn, OTHER_NAMES, tagOf, type Attribution, type AttributionDimension } from "../../../money/attribution.ts";
import { ownerOf } from "./attributed-owner.ts";
import { readCells } from "./cells.ts";
import { DayNames } from "./names/day-names.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import { readRows } from "./rollup-rows.ts";
import type { Rollups } from "./rollups.ts";
import { SeriesBook, type Series, type SeriesNames } from "./series.ts";
import { ATTRIBUTION } from "./series-tables.ts";
import { TagNames } from "./names/tag-names.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";

/** The series of end users, conversations and tags, within the limits on their number. */
export class AttributedSeries {
  readonly book: SeriesBook;
  readonly #file: SqliteFile;
  readonly #rollups: () => Rollups;
  readonly #days: DayNames;
  readonly #tags: TagNames;
  /** Owners by account. Cached, because a string built for each request would have to be hashed each time. */
  readonly #owners = { user: new Map<string, string>(), conversation: new Map<string, string>() };
  readonly #overflows = { user: 0, conversation: 0, tag: 0 };
  /** The overflows of the current event, which are counted once all of its series are found. */
  #overflown: (keyof AttributionOverflows)[] = [];

  /**
   * `namesPerDay`: the setting for the maximum number of end users, of conversations and of values of a tag, for an account and UTC day.
   */
  constructor(file: SqliteFile, seriesInRow: number, namesPerDay: number, rollups: () => Rollups) {
    this.#file = file;
    this.#rollups = rollups;
    this.book = new SeriesBook(file, seriesInRow, ATTRIBUTION);
    const limits = new DayLimits(file, namesPerDay);
    this.#days = new DayNames(
      (owner, day) => this.#namesIn(owner, day),
      (day) => limits.of(day),
    );
    this.#tags = new TagNames(file);
  }

  /** The number of requests since startup that were summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** The series to which the usage of an event is added. */
  seriesOf(event: UsageEvent, { user, conversation, tags }: Attribution): Series[] {
    const found: Series[] = [];
    const { accountId } = event;
    const day = dayOf(event.atMs);
    this.#overflown = [];
    for (const tag in tags) {
      const owner = this.#tags.admit(accountId, day, tag);
      if (owner === undefined) this.#overflown.push("tag");
      else found.push(this.#find("tag", owner, event, day, tags[tag]!));
    }
    if (user !== undefined) found.push(this.#find("user", this.#ownerOf("user", accountId), event, day, user));
    if (conversation !== undefined) {
      found.push(this.#find("conversation", this.#ownerOf("conversation", accountId), event, day, conversation));
    }
    for (const kind of this.#overflown) this.#overflows[kind]++;
    return found;
  }

  /** The series of a name, or of `other` if the day has too many names. */
  #find(kind: keyof AttributionOverflows, owner: string, { keyId, model }: UsageEvent, day: number, name: string): Series {
    const known = this.book.known(owner, keyId, model, name);
    if (known?.admittedDay === day) return known;
    const admitted = this.#days.admit(owner, day, name);
    const series = this.book.find(owner, keyId, model, admitted);
    if (admitted === OTHER_NAMES) this.#overflown.push(kind);
    else series.admittedDay = day;
    return series;
  }

  #ownerOf(dimension: "user" | "conversation", accountId: string): string {
    const owners = this.#owners[dimension];
    let owner = owners.get(accountId);
    if (owner === undefined) owners.set(accountId, (owner = ownerOf(dimension, accountId)));
    return owner;
  }

  /** The names of the series of a dimension to which usage was added; undefined if there is none. */
  namesOf({ accountId, keyId, model, atMs, attribution }: UsageEvent, dimension: AttributionDimension): SeriesNames | undefined {
    const name = attribution && nameIn(attribution, dimension);
    const tag = tagOf(dimension);
    const day = dayOf(atMs);
    if (name === undefined || (tag !== undefined && !this.#tags.has(accountId, day, tag))) return undefined;
    const owner = ownerOf(dimension, accountId);
    return { owner, keyId, model, name: this.#days.find(owner, day, name) };
  }

  /** The first tags of an account, by name, that have rollups on or after the day of a moment. */
  tagsOf(accountId: string, sinceMs: number): string[] {
    return this.#tags.since(accountId, dayOf(sinceMs));
  }

  /** Renames series. Call this only while all series and their sums are written. */
  async eraseNames(accountId: string, { users, conversations }: ErasedNames): Promise<void> {
    await this.book.rename(ownerOf("user", accountId), users, ERASED);
    await this.book.rename(ownerOf("conversation", accountId), conversations, ERASED);
    this.#days.forget();
  }

  /** Limits the memory. Call this only while the rollups have all series that were returned. */
  forgetMany(): void {
    this.#days.forgetMany();
  }

  *#namesIn(owner: string, day: number): Generator<string> {
    const owners = { one: owner };
    for (let page = readRows(this.#file, ATTRIBUTION, "day", day, owners); page.length > 0;) {
      for (const row of page) {
        const { ids, names: all } = this.book.namesIn(owner, row.part);
        const names = new Map(ids.map((id, at) => [id, all[at]!]));
        const found: string[] = [];
        readCells(row, (series) => void found.push(names.get(series)!));
        yield* found;
      }
      page = readRows(this.#file, ATTRIBUTION, "day", day, owners, page.at(-1));
    }
    for (const { cells } of this.#rollups().pending("day", day, ATTRIBUTION, owners)) for (const { name } of cells.keys()) yield name;
  }
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / GRANULARITY_MS.day);
}

/**
 * The limit of names of each UTC day, which is the setting at its first usage. It is in the database before any sum of the day. After a
 * crash some rollups have sums that others lack, and entries that are read again are added to the same series only if the limit is the
 * same.
 */
class DayLimits {
  readonly #file: SqliteFile;
  /** The current setting. */
  readonly #namesPerDay: number;
  readonly #byDay = new Map<number, number>();

  constructor(file: SqliteFile, namesPerDay: number) {
    this.#file = file;
    this.#namesPerDay = namesPerDay;
  }

  of(day: number): number {
    const known = this.#byDay.get(day);
    if (known !== undefined) return known;
    const limit = this.#read(day) ?? this.#store(day);
    this.#byDay.set(day, limit);
    return limit;
  }

  #read(day: number): number | undefined {
    return this.#file.query<{ names: number }, [number]>("select names from attribution_days where day = ?").get(day)?.names;
  }

  #store(day: number): number {
    this.#file.query("insert into attribution_days (day, names) values (?, ?)").run(day, this.#namesPerDay);
    return this.#namesPerDay;
  }
}
