import type { Nanos } from "../../money/money.ts";
import { METRICS, writeLabelsOf, type LabelsOf, type NameOf } from "./descriptions.ts";
import type { Cell as PlainCell, Family, Sample } from "./exposition.ts";

/** A counter value. Callers retain a reference to it, so that counting is only an addition. */
export class Tally {
  value = 0;
}

/** Money is summed exactly, and converted to a floating-point number only for export. */
export class DollarTally {
  nanos: Nanos = 0n;

  get value(): number {
    return Number(this.nanos) / 1e9;
  }
}

type SeriesName = NameOf<"counter" | "gauge">;

/** The values of a counter or a gauge, one per set of labels. */
export class Series<Name extends SeriesName, Cell extends { readonly value: number } = Tally> implements Family {
  readonly name: Name;
  readonly #make: () => Cell;
  readonly #cells = new Map<string, Cell>();

  private constructor(name: Name, make: () => Cell) {
    this.name = name;
    this.#make = make;
  }

  static of<Name extends SeriesName>(name: Name): Series<Name> {
    return new Series(name, () => new Tally());
  }

  static ofDollars<Name extends SeriesName>(name: Name): Series<Name, DollarTally> {
    return new Series(name, () => new DollarTally());
  }

  get type(): Family["type"] {
    return METRICS[this.name].type;
  }

  get help(): string {
    return METRICS[this.name].help;
  }

  /** The value for these labels. Not for the hot path: look it up once and reuse it. */
  cell(labels: LabelsOf<Name>): Cell {
    const key = writeLabelsOf(this.name, labels);
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = this.#make()));
    return cell;
  }

  *samples(): Generator<readonly Sample[]> {
    for (const [labels, { value }] of this.#cells) yield [{ suffix: "", labels, value }];
  }

  *cells(known?: ReadonlyMap<string, PlainCell>): Generator<PlainCell> {
    for (const [labels, { value }] of this.#cells) if (known?.get(labels)?.[1] !== value) yield [labels, value];
  }
}
