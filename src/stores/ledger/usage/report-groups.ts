import type { UsageDimension, UsageReportQuery } from "../ledger-record-store.ts";
import type { SeriesBook, SeriesNames } from "./series.ts";
import type { RowKey } from "./rollup-rows.ts";

const FIELDS = { model: "model", key: "keyId", account: "accountId", upstream: "upstream" } as const satisfies Record<
  UsageDimension,
  keyof SeriesNames
>;

/** In the place of a group, for a series that the query excludes. */
export const EXCLUDED = -1;

const UNKNOWN = -2;

/** Maps series to the groups of a report, which are numbered while the report is made. */
export class ReportGroups {
  readonly #query: UsageReportQuery;
  readonly #book: SeriesBook;
  readonly #byNames = new Map<string, number>();
  /** By series id. */
  #bySeries = new Int32Array(1024).fill(UNKNOWN);
  readonly #names: (readonly string[])[] = [];

  constructor(query: UsageReportQuery, book: SeriesBook) {
    this.#query = query;
    this.#book = book;
  }

  /** The group of a series in this row. Looks up all series of the row at once. */
  ofNumber(seriesId: number, { accountId, part }: RowKey): number {
    const known = this.#bySeries[seriesId] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    for (const [id, names] of this.#book.namesIn(accountId, part)) this.#remember(id, this.of(names));
    return this.#bySeries[seriesId]!;
  }

  of(series: SeriesNames): number {
    const { accountId, keyId, model, by } = this.#query;
    if (accountId !== undefined && accountId !== series.accountId) return EXCLUDED;
    if (keyId !== undefined && keyId !== series.keyId) return EXCLUDED;
    if (model !== undefined && model !== series.model) return EXCLUDED;
    const names = by.map((dimension) => series[FIELDS[dimension]]);
    const key = JSON.stringify(names);
    let group = this.#byNames.get(key);
    if (group === undefined) {
      group = this.#names.push(names) - 1;
      this.#byNames.set(key, group);
    }
    return group;
  }

  #remember(seriesId: number, group: number): void {
    if (seriesId >= this.#bySeries.length) {
      const larger = new Int32Array(2 * seriesId).fill(UNKNOWN);
      larger.set(this.#bySeries);
      this.#bySeries = larger;
    }
    this.#bySeries[seriesId] = group;
  }

  namesOf(group: number): readonly string[] {
    return this.#names[group]!;
  }
}
