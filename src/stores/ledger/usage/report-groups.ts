import { NO_NAME } from "../../../money/attribution.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { isOfNone, type UsageDimension, type UsageReportQuery } from "../ledger-record-store.ts";
import type { RollupReader } from "./rollup-reader.ts";
import type { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import type { RowKey } from "./rollups.ts";
import { accountOfOwner, ATTRIBUTION, type SeriesNames, type SeriesTables } from "./series.ts";

/** Used instead of a group, for a series that the query excludes. */
export const EXCLUDED = -1;

/** The maximum number of groups, which limits the memory of a report: a few hundred bytes for each group. */
const MAX_GROUPS = 500_000;

/** Maps series to the groups of a report, which are numbered while the report is made. */
export class ReportGroups {
  readonly #query: UsageReportQuery;
  readonly #isAttributed: boolean;
  readonly #byNames = new Map<string, number>();
  /** The names of each group. A string if there is only one name. */
  readonly #names: (string | readonly string[])[] = [];

  constructor(query: UsageReportQuery, tables: SeriesTables) {
    this.#query = query;
    this.#isAttributed = tables === ATTRIBUTION;
  }

  of(series: SeriesNames): number {
    const { accountId } = this.#query;
    return accountId === undefined || accountId === this.#accountOf(series) ? this.ofOwned(series) : EXCLUDED;
  }

  /** The group of a series. Its owner must be one of the query's owners, like the owners of all rows that are read. */
  ofOwned(series: SeriesNames): number {
    const { keyId, model, by } = this.#query;
    if (keyId !== undefined && keyId !== series.keyId) return EXCLUDED;
    if (model !== undefined && model !== series.model) return EXCLUDED;
    if (!this.#hasWantedName(series)) return EXCLUDED;
    return by.length === 1 ? this.#ofName(this.#nameIn(series, by[0]!)) : this.withNames(by.map((each) => this.#nameIn(series, each)));
  }

  withNames(names: readonly string[]): number {
    if (names.length === 1) return this.#ofName(names[0]!);
    const key = JSON.stringify(names);
    return this.#byNames.get(key) ?? this.#add(key, names);
  }

  #ofName(name: string): number {
    return this.#byNames.get(name) ?? this.#add(name, name);
  }

  #add(key: string, names: string | readonly string[]): number {
    if (this.#names.length >= MAX_GROUPS) throw tooLarge();
    const group = this.#names.push(names) - 1;
    this.#byNames.set(key, group);
    return group;
  }

  namesOf(group: number): readonly string[] {
    const names = this.#names[group]!;
    return typeof names === "string" ? [names] : names;
  }

  /**
   * Whether the series has one of the wanted names. For the usage without a name, the usage with any name is added up too, and then
   * subtracted.
   */
  #hasWantedName({ name }: SeriesNames): boolean {
    const { attributed } = this.#query;
    if (!attributed?.names || !this.#isAttributed || isOfNone(attributed)) return true;
    return attributed.names.includes(name);
  }

  #accountOf({ owner }: SeriesNames): string {
    return this.#isAttributed ? accountOfOwner(owner) : owner;
  }

  #nameIn(series: SeriesNames, dimension: UsageDimension): string {
    switch (dimension) {
      case "model":
        return series.model;
      case "key":
        return series.keyId;
      case "account":
        return this.#accountOf(series);
      case "upstream":
        return series.name;
      case "attributed":
        return this.#isAttributed ? series.name : NO_NAME;
    }
  }
}

const UNKNOWN = -2;

/** The groups of a report, by the ids of series. */
export class SeriesGroups extends ReportGroups {
  readonly #reader: RollupReader;
  readonly #hasKeys: boolean;
  readonly #hasModels: boolean;
  /** Groups by series id. */
  #bySeries = new Int32Array(1024).fill(UNKNOWN);

  readonly #tables: SeriesTables;
  readonly #known = new Set<string>();

  constructor(query: UsageReportQuery, tables: SeriesTables, reader: RollupReader) {
    super(query, tables);
    this.#tables = tables;
    this.#reader = reader;
    this.#hasKeys = query.keyId !== undefined || query.by.includes("key");
    this.#hasModels = query.model !== undefined || query.by.includes("model");
  }

  /** Looks up the groups of all series in some rows. */
  async load(rows: readonly RowKey[], slicer: TimeSlicer): Promise<void> {
    const unknown: RowKey[] = [];
    for (const row of rows) {
      const key = `${row.part}/${row.owner}`;
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      unknown.push(row);
    }
    if (unknown.length === 0) return;
    const isByNameAlone = !this.#hasKeys && !this.#hasModels;
    for await (const { owner, ids, names, keyIds, models } of this.#reader.seriesIn(
      this.#tables,
      unknown,
      this.#hasKeys,
      this.#hasModels,
    )) {
      let group = UNKNOWN;
      for (let at = 0; at < ids.length; at++) {
        const name = names[at]!;
        const isSame = isByNameAlone && at > 0 && name === names[at - 1];
        if (!isSame) group = this.ofOwned({ owner, keyId: keyIds?.[at] ?? "", model: models?.[at] ?? "", name });
        this.#remember(ids[at]!, group);
      }
      if (slicer.isDue) await slicer.yield();
    }
  }

  /** The group of a series in a row that was loaded. */
  ofNumber(seriesId: number): number {
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

function tooLarge(): ApiError {
  const message = `The report would have more than ${MAX_GROUPS.toLocaleString("en")} groups. Choose one account or a shorter time.`;
  return new ApiError("invalid_value", message, { param: "from" });
}
