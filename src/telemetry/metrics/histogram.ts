import { METRICS, writeLabelsOf, type LabelsOf, type NameOf } from "./descriptions.ts";
import { writeValue, type Family, type Sample } from "./exposition.ts";

/** How often something took how long. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** How often it was within each bound, but not within the one before; at the end, how often within none. */
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

  /** In the text format each bucket counts all that is within its bound. */
  samples(labels: string): readonly Sample[] {
    const before = labels === "" ? "" : `${labels},`;
    let count = 0;
    const buckets = this.#counts.map((more, at): Sample => {
      count += more;
      const bound = writeValue(this.#bounds[at] ?? Number.POSITIVE_INFINITY);
      return { suffix: "_bucket", labels: `${before}le="${bound}"`, value: count };
    });
    return [...buckets, { suffix: "_sum", labels, value: this.#sum }, { suffix: "_count", labels, value: count }];
  }
}

/** The distributions of a histogram, one for each set of labels that has come up. */
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

  /** The distribution under these labels. Not for the path of requests: find it once, and keep it. */
  cell(labels: LabelsOf<Name>): Distribution {
    const key = writeLabelsOf(this.name, labels);
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = new Distribution(METRICS[this.name].buckets)));
    return cell;
  }

  *samples(): Generator<readonly Sample[]> {
    for (const [labels, distribution] of this.#cells) yield distribution.samples(labels);
  }
}
