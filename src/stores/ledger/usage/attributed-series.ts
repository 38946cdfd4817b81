import {
  ERASED,
  nameIn,
  OTHER_NAMES,
  tagDimension,
  tagOf,
  type Attribution,
  type AttributionDimension,
} from "../../../money/attribution.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import { ATTRIBUTION, ownerOf, SeriesBook, type Series, type SeriesNames, type StoredSeries } from "./series.ts";
import type { UsageEvent } from "./usage-event.ts";

/** The names in the database, as far as they are needed for the entries that are being added up. */
export interface StoredNames extends StoredSeries {
  /** The names that an owner has in the rollups of a UTC day. */
  namesOfDay(owner: string, day: number): Iterable<string>;
  /**
   * The maximum number of end users, of conversations and of values of a tag, for an account and UTC day: the setting at the first usage of
   * the day. It is in the database before any sum of the day. After a crash some rollups have sums that others lack, and entries that are
   * read again are added to the same series only if the limit is the same.
   */
  limitOfDay(day: number): number;
  /** The tags of an account that have rollups on a day. */
  tagsOfDay(accountId: string, day: number): readonly string[];
  addTag(accountId: string, day: number, tag: string): void;
}

/** The series of end users, conversations and tags, within the limits on their number, and of endpoints. */
export class AttributedSeries {
  readonly book: SeriesBook;
  readonly #days: DayNames;
  readonly #tags: TagNames;
  /** Owners by account. Cached, because a string built for each request would have to be hashed each time. */
  readonly #owners = { user: new Map<string, string>(), conversation: new Map<string, string>(), endpoint: new Map<string, string>() };
  readonly #overflows = { user: 0, conversation: 0, tag: 0 };
  /** The overflows of the current event, which are counted once all of its series are found. */
  #overflown: (keyof AttributionOverflows)[] = [];

  constructor(stored: StoredNames, seriesInRow: number, seriesInMemory: number) {
    this.book = new SeriesBook(stored, seriesInRow, ATTRIBUTION, seriesInMemory);
    this.#days = new DayNames(stored);
    this.#tags = new TagNames(stored);
  }

  /** The number of requests since startup that were summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** The series to which the usage of an event is added. */
  seriesOf(event: UsageEvent, { user, conversation, endpoint, tags }: Attribution): Series[] {
    const found: Series[] = [];
    const { accountId, keyId, model } = event;
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
    if (endpoint !== undefined) found.push(this.book.find(this.#ownerOf("endpoint", accountId), keyId, model, endpoint));
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

  #ownerOf(dimension: "user" | "conversation" | "endpoint", accountId: string): string {
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
    return { owner, keyId, model, name: dimension === "endpoint" ? name : this.#days.find(owner, day, name) };
  }

  /** Forgets names and series, because some were renamed: call this only while all series and their sums are written. */
  forget(): void {
    this.book.forget();
    this.#days.forget();
  }

  /** Limits the memory. Call this only while the rollups have all series that were returned. */
  forgetMany(): void {
    this.#days.forgetMany();
  }
}

export function dayOf(atMs: number): number {
  return Math.floor(atMs / GRANULARITY_MS.day);
}

/** The maximum number of names in memory. Beyond it, all names are forgotten, and read again when they are needed. */
const MAX_NAMES = 500_000;

/**
 * The names that an owner has in the rollups of a day. Their number is limited: a client that sends a new end user with every request must
 * not fill the disk. Names beyond the limit are summed as `other`. The first names are admitted, so that entries that are read again get
 * the same names.
 */
class DayNames {
  readonly #stored: StoredNames;
  #byDay = new Map<string, Set<string>>();
  #count = 0;

  constructor(stored: StoredNames) {
    this.#stored = stored;
  }

  /** The name under which new usage is summed. */
  admit(owner: string, day: number, name: string): string {
    const names = this.#namesOf(owner, day);
    if (names.has(name)) return name;
    if (names.size >= this.#stored.limitOfDay(day) && name !== ERASED) return OTHER_NAMES;
    names.add(name);
    this.#count++;
    return name;
  }

  /** The name under which earlier usage was summed. */
  find(owner: string, day: number, name: string): string {
    return this.#namesOf(owner, day).has(name) ? name : OTHER_NAMES;
  }

  /** Limits the memory. Call this only while the rollups have all names that were admitted. */
  forgetMany(): void {
    if (this.#count > MAX_NAMES) this.forget();
  }

  forget(): void {
    this.#byDay = new Map();
    this.#count = 0;
  }

  #namesOf(owner: string, day: number): Set<string> {
    const key = `${day}/${owner}`;
    let names = this.#byDay.get(key);
    if (!names) {
      names = new Set(this.#stored.namesOfDay(owner, day));
      names.delete(OTHER_NAMES);
      this.#byDay.set(key, names);
      this.#count += names.size;
    }
    return names;
  }
}

/** The maximum number of tags with rollups, for an account and day. Clients choose the names of tags. */
export const MAX_TAG_NAMES = 100;

/** The tags of an account on one day. */
interface TagsOfDay {
  readonly day: number;
  /** The owners of the tags' series. */
  readonly owners: Map<string, string>;
}

/** The tags that an account has used on a day, up to a limit: only these tags have rollups. */
class TagNames {
  readonly #stored: StoredNames;
  /** The day that was requested last: nearly all entries are of today. */
  readonly #byAccount = new Map<string, TagsOfDay>();

  constructor(stored: StoredNames) {
    this.#stored = stored;
  }

  /** The owner of the series of a tag; undefined if it has none. A new tag gets series unless the day has too many tags. */
  admit(accountId: string, day: number, tag: string): string | undefined {
    const owners = this.#ownersOf(accountId, day);
    const known = owners.get(tag);
    if (known !== undefined || owners.size >= MAX_TAG_NAMES) return known;
    this.#stored.addTag(accountId, day, tag);
    const owner = ownerOf(tagDimension(tag), accountId);
    owners.set(tag, owner);
    return owner;
  }

  has(accountId: string, day: number, tag: string): boolean {
    return this.#ownersOf(accountId, day).has(tag);
  }

  #ownersOf(accountId: string, day: number): Map<string, string> {
    let tags = this.#byAccount.get(accountId);
    if (tags?.day !== day) this.#byAccount.set(accountId, (tags = this.#read(accountId, day)));
    return tags.owners;
  }

  #read(accountId: string, day: number): TagsOfDay {
    const tags = this.#stored.tagsOfDay(accountId, day);
    return { day, owners: new Map(tags.map((tag) => [tag, ownerOf(tagDimension(tag), accountId)])) };
  }
}
