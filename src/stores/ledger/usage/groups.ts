import type { UsageDimension, UsageQuestion } from "../ledger-store.ts";
import type { SeriesBook, SeriesNames } from "./series.ts";

const FIELDS = { model: "model", key: "keyId", account: "accountId", upstream: "upstream" } as const satisfies Record<
  UsageDimension,
  keyof SeriesNames
>;

/** In place of a group, where a series is not asked for. */
export const NOT_ASKED = -1;

/** Which series are asked for, and under which names each is added up. Groups have numbers while a report is made. */
export class Groups {
  readonly #question: UsageQuestion;
  readonly #book: SeriesBook;
  readonly #byNames = new Map<string, number>();
  readonly #bySeries: (number | undefined)[] = [];
  readonly #names: (readonly string[])[] = [];

  constructor(question: UsageQuestion, book: SeriesBook) {
    this.#question = question;
    this.#book = book;
  }

  ofNumber(seriesId: number): number {
    return (this.#bySeries[seriesId] ??= this.of(this.#book.namesOf(seriesId)));
  }

  of(series: SeriesNames): number {
    const { accountId, keyId, model, by } = this.#question;
    if (accountId !== undefined && accountId !== series.accountId) return NOT_ASKED;
    if (keyId !== undefined && keyId !== series.keyId) return NOT_ASKED;
    if (model !== undefined && model !== series.model) return NOT_ASKED;
    const names = by.map((dimension) => series[FIELDS[dimension]]);
    const key = JSON.stringify(names);
    let group = this.#byNames.get(key);
    if (group === undefined) {
      group = this.#names.push(names) - 1;
      this.#byNames.set(key, group);
    }
    return group;
  }

  namesOf(group: number): readonly string[] {
    return this.#names[group]!;
  }
}
