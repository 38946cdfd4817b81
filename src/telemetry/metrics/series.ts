import type { Nanos } from "../../money/money.ts";
import { METRICS, writeLabelsOf, type LabelsOf, type NameOf } from "./descriptions.ts";
import type { Family, Sample } from "./exposition.ts";

/** A number that is counted up. Whoever counts keeps hold of it, so that counting is an addition and nothing else. */
export class Tally {
  value = 0;
}

/** Money is added up exactly, and becomes a number, with some sixteen digits, only to be shown. */
export class DollarTally {
  nanos: Nanos = 0n;

  get value(): number {
    return Number(this.nanos) / 1e9;
  }
}

type Countable = NameOf<"counter" | "gauge">;

/** The numbers of a counter or a gauge, one for each set of labels that has come up. */
export class Series<Name extends Countable, Cell extends { readonly value: number } = Tally> implements Family {
  readonly name: Name;
  readonly #make: () => Cell;
  readonly #cells = new Map<string, Cell>();

  private constructor(name: Name, make: () => Cell) {
    this.name = name;
    this.#make = make;
  }

  static of<Name extends Countable>(name: Name): Series<Name> {
    return new Series(name, () => new Tally());
  }

  static ofDollars<Name extends Countable>(name: Name): Series<Name, DollarTally> {
    return new Series(name, () => new DollarTally());
  }

  get type(): Family["type"] {
    return METRICS[this.name].type;
  }

  get help(): string {
    return METRICS[this.name].help;
  }

  /** The number under these labels. Not for the path of requests: find it once, and keep it. */
  cell(labels: LabelsOf<Name>): Cell {
    const key = writeLabelsOf(this.name, labels);
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = this.#make()));
    return cell;
  }

  *samples(): Generator<readonly Sample[]> {
    for (const [labels, { value }] of this.#cells) yield [{ suffix: "", labels, value }];
  }
}
