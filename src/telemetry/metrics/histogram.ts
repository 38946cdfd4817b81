import { METRICS, writeLabelsOf, type LabelsOf, type NameOf } from "./descriptions.ts";
import { writeValue, type Cell, type Family, type Sample } from "./exposition.ts";

/** A distribution of durations. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** The non-cumulative count of each bucket; the last bucket is above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds, 0].map(() => 0);
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && seconds > bounds[at]!) at++;
    this.#counts[at]!++;
    this.#sum += seconds;
  }

  samples(labels: string): readonly Sample[] {
    return distributionSamples(this.#bounds, labels, this.#counts, this.#sum);
  }

  cell(labels: string): Cell {
    return [labels, ...this.#counts, this.#sum];
  }

  equals(cell: Cell | undefined): boolean {
    return cell !== undefined && this.#counts.every((count, at) => count === cell[at + 1]);
  }
}

/** In the text format, buckets are cumulative. */
export function distributionSamples(bounds: readonly number[], labels: string, counts: readonly number[], sum: number): readonly Sample[] {
  const before = labels === "" ? "" : `${labels},`;
  let count = 0;
  const buckets = counts.map((more, at): Sample => {
    count += more;
    const bound = writeValue(bounds[at] ?? Number.POSITIVE_INFINITY);
    return { suffix: "_bucket", labels: `${before}le="${bound}"`, value: count };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
}

/** The distributions of a histogram, one per set of labels. */
export class Histogram<Name extends NameOf<"histogram">> implements Family {
  readonly name: Name;
  readonly type = "histogram";
  readonly #cells = new Map<string, Distribution>();

  constructor(name: Name) {
    this.name = name;
  }

  get help(): string {
    return METRICS[this.name].help;
  }

  /** The distribution for these labels. Not for the hot path: look it up once and reuse it. */
  cell(labels: LabelsOf<Name>): Distribution {
    const key = writeLabelsOf(this.name, labels);
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = new Distribution(METRICS[this.name].buckets)));
    return cell;
  }

  *samples(): Generator<readonly Sample[]> {
    for (const [labels, distribution] of this.#cells) yield distribution.samples(labels);
  }

  *cells(known?: ReadonlyMap<string, Cell>): Generator<Cell> {
    for (const [labels, distribution] of this.#cells) if (!distribution.equals(known?.get(labels))) yield distribution.cell(labels);
  }
}
