import type { UsageReportQuery } from "../ledger-record-store.ts";
import { ReportGroups } from "./report-groups.ts";
import type { RowKey } from "./rollup-rows.ts";
import type { SeriesBook } from "./series.ts";

const UNKNOWN = -2;

/** The groups of a report, by the ids of series. */
export class SeriesGroups extends ReportGroups {
  readonly #book: SeriesBook;
  readonly #hasKeys: boolean;
  readonly #hasModels: boolean;
  /** By series id. */
  #bySeries = new Int32Array(1024).fill(UNKNOWN);

  constructor(query: UsageReportQuery, book: SeriesBook) {
    super(query, book.tables);
    this.#book = book;
    this.#hasKeys = query.keyId !== undefined || query.by.includes("key");
    this.#hasModels = query.model !== undefined || query.by.includes("model");
  }

  /** The group of a series in this row. Looks up all series of the row at once. */
  ofNumber(seriesId: number, { owner, part }: RowKey): number {
    const known = this.#bySeries[seriesId] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    for (const [id, names] of this.#book.namesIn(owner, part, this.#hasKeys, this.#hasModels)) this.#remember(id, this.ofOwned(names));
    return this.#bySeries[seriesId]!;
  }

  #remember(seriesId: number, group: number): void {
    if (seriesId >= this.#bySeries.length) {
      const larger = new Int32Array(2 * seriesId).fill(UNKNOWN);
      larger.set(this.#bySeries);
      this.#bySeries = larger;
    }
    this.#bySeries[seriesId] = group;
  }
}
