import type { Database as SqliteFile } from "bun:sqlite";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import { dimensionsOf, ERASED, nameIn, OTHER_NAMES, tagOf, type AttributionDimension } from "../../../money/attribution.ts";
import { readCells } from "./cells.ts";
import { DayNames } from "./day-names.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import { readRows, type Owners } from "./rollup-rows.ts";
import type { Rollups } from "./rollups.ts";
import { SeriesBook, type Series, type SeriesNames } from "./series.ts";
import { ATTRIBUTION } from "./series-tables.ts";
import { TagNames } from "./tag-names.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";

/** The owner of the series of a dimension of an account. Tags have no slash in their names. */
export function ownerOf(dimension: AttributionDimension, accountId: string): string {
  return `${dimension}/${accountId}`;
}

export function accountOfOwner(owner: string): string {
  return owner.slice(owner.indexOf("/") + 1);
}

/** The owners of a dimension: of one account, or of all. */
export function ownersOf(dimension: AttributionDimension, accountId: string | undefined): Owners {
  // "0" is the character after the slash.
  return accountId === undefined ? { after: `${dimension}/`, before: `${dimension}0` } : { one: ownerOf(dimension, accountId) };
}

/** The series of end users, conversations and tags, within the limits of their number. */
export class AttributedSeries {
  readonly book: SeriesBook;
  readonly #file: SqliteFile;
  readonly #rollups: () => Rollups;
  readonly #days: DayNames;
  readonly #tags: TagNames;
  readonly #overflows = { user: 0, conversation: 0, tag: 0 };

  /** `namesPerDay`: the limit of the end users, the conversations and the values of a tag, each, of an account in a day of UTC. */
  constructor(file: SqliteFile, seriesInRow: number, namesPerDay: number, rollups: () => Rollups) {
    this.#file = file;
    this.#rollups = rollups;
    this.book = new SeriesBook(file, seriesInRow, ATTRIBUTION);
    this.#days = new DayNames((owner, day) => this.#namesIn(owner, day), namesPerDay);
    this.#tags = new TagNames(file);
  }

  /** The requests since startup that are summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** The series to which usage is added. */
  seriesOf({ accountId, keyId, model, atMs, attribution }: UsageEvent): Series[] {
    const found: Series[] = [];
    const overflown: (keyof AttributionOverflows)[] = [];
    for (const dimension of attribution ? dimensionsOf(attribution) : []) {
      const tag = tagOf(dimension);
      if (tag !== undefined && !this.#tags.admit(accountId, tag)) {
        overflown.push("tag");
        continue;
      }
      const owner = ownerOf(dimension, accountId);
      const name = this.#days.admit(owner, dayOf(atMs), nameIn(attribution!, dimension)!);
      if (name === OTHER_NAMES) overflown.push(tag === undefined ? (dimension as "user" | "conversation") : "tag");
      found.push(this.book.find(owner, keyId, model, name));
    }
    for (const kind of overflown) this.#overflows[kind]++;
    return found;
  }

  /** The names of the series of a dimension to which usage was added; undefined where there is none. */
  namesOf({ accountId, keyId, model, atMs, attribution }: UsageEvent, dimension: AttributionDimension): SeriesNames | undefined {
    const name = attribution && nameIn(attribution, dimension);
    const tag = tagOf(dimension);
    if (name === undefined || (tag !== undefined && !this.#tags.has(accountId, tag))) return undefined;
    const owner = ownerOf(dimension, accountId);
    return { owner, keyId, model, name: this.#days.find(owner, dayOf(atMs), name) };
  }

  /** Renames series. Only while all series and their sums are written. */
  async eraseNames(accountId: string, { users, conversations }: ErasedNames): Promise<void> {
    await this.book.rename(ownerOf("user", accountId), users, ERASED);
    await this.book.rename(ownerOf("conversation", accountId), conversations, ERASED);
    this.#days.forget();
  }

  /** Limits the memory. Only while the rollups have all series that were returned. */
  forgetMany(): void {
    this.#days.forgetMany();
  }

  *#namesIn(owner: string, day: number): Generator<string> {
    const owners = { one: owner };
    for (let page = readRows(this.#file, ATTRIBUTION, "day", day, owners); page.length > 0;) {
      for (const row of page) {
        const names = new Map(this.book.namesIn(owner, row.part).map(([id, { name }]) => [id, name]));
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
