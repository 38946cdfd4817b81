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
  /** Groups by series id. */
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
    const { ids, names, keyIds, models } = this.#book.namesIn(owner, part, this.#hasKeys, this.#hasModels);
    const isByNameAlone = !keyIds && !models;
    let group = UNKNOWN;
    for (let at = 0; at < ids.length; at++) {
      const name = names[at]!;
      const isSame = isByNameAlone && at > 0 && name === names[at - 1];
      if (!isSame) group = this.ofOwned({ owner, keyId: keyIds?.[at] ?? "", model: models?.[at] ?? "", name });
      this.#remember(ids[at]!, group);
    }
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
