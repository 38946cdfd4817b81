import { Reports } from "../../lib/ipc/reports.ts";
import { descriptionOf, type Description } from "./descriptions.ts";
import { writeLabels, type Cell, type Family, type Sample, type WrittenFamily } from "./exposition.ts";
import { distributionSamples } from "./histogram.ts";
import { METRICS_SERVICE, type MetricsReport } from "./metrics-reporter.ts";

const OWNER = "owner";
const NANOS = 1e9;

/** Numbers by their labels. */
type Numbers = Map<string, readonly number[]>;

/**
 * The metrics of all gateway processes, in the owner. Increases of counters are summed over all processes, including those that have ended,
 * so that counters never decrease. Gauges cover only the connected processes.
 */
export class MergedMetrics {
  readonly service: Reports;
  readonly #labelOf: (processId: string) => string;
  readonly #sums = new Map<string, Numbers>();
  readonly #current = new Map<string, MetricsReport["current"]>();

  /** `labelOf` returns the name of a process for labels, from a small set of names, because each name creates a set of series. */
  constructor(labelOf: (processId: string) => string) {
    this.#labelOf = labelOf;
    const forget = (processId: string): void => void this.#current.delete(processId);
    this.service = new Reports({
      name: METRICS_SERVICE,
      receive: (processId, report) => this.#receive(processId, report as MetricsReport),
      disconnected: forget,
      ended: forget,
    });
  }

  /** The metrics of the owner and of all gateway processes. */
  merge(own: readonly Family[]): readonly WrittenFamily[] {
    const ownNames = new Set(own.map(({ name }) => name));
    const reported = new Set([...this.#sums.keys(), ...this.#current.values().flatMap(Object.keys)]);
    return [...own, ...reported.difference(ownNames)].flatMap((each) => {
      const [name, family] = typeof each === "string" ? [each, undefined] : [each.name, each];
      const description = descriptionOf(name);
      return description ? new MergedFamily(name, description, () => this.#merged(name, description, family)) : [];
    });
  }

  #receive(processId: string, { increases, current }: MetricsReport): void {
    for (const [name, cells] of Object.entries(increases)) {
      const sums = this.#sums.getOrInsertComputed(name, () => new Map());
      for (const cell of cells) add(sums, name, cell);
    }
    this.#current.set(processId, current);
  }

  #merged(name: string, { merge }: Description, own: Family | undefined): Numbers {
    const merged: Numbers = new Map(this.#sums.get(name));
    const combine = merge === undefined ? add : raise;
    const labelled = (cell: Cell, process: string): Cell => (merge === "process" ? withProcess(cell, process) : cell);
    for (const cell of own?.cells() ?? []) combine(merged, name, labelled(cell, OWNER));
    for (const [processId, current] of this.#current) {
      for (const cell of current[name] ?? []) combine(merged, name, labelled(cell, this.#labelOf(processId)));
    }
    return merged;
  }
}

function add(to: Numbers, name: string, [labels, ...numbers]: Cell): void {
  const before = to.get(labels);
  const sums = before ? numbers.map((number, at) => number + before[at]!) : numbers;
  to.set(labels, name.includes("_dollars") ? sums.map(toNanos) : sums);
}

function raise(to: Numbers, _: string, [labels, ...numbers]: Cell): void {
  const before = to.get(labels);
  to.set(labels, before ? numbers.map((number, at) => Math.max(number, before[at]!)) : numbers);
}

/** Dollars are summed exactly, in nanos, because sums of floating-point numbers have rounding errors. */
function toNanos(dollars: number): number {
  return Math.round(dollars * NANOS) / NANOS;
}

function withProcess([labels, ...numbers]: Cell, process: string): Cell {
  return [[labels, writeLabels({ process })].filter((each) => each !== "").join(","), ...numbers];
}

/** A metric of several processes, merged when it is written. */
class MergedFamily implements WrittenFamily {
  readonly name: string;
  readonly #description: Description;
  readonly #merge: () => Numbers;

  constructor(name: string, description: Description, merge: () => Numbers) {
    this.name = name;
    this.#description = description;
    this.#merge = merge;
  }

  get type(): WrittenFamily["type"] {
    return this.#description.type;
  }

  get help(): string {
    return this.#description.help;
  }

  *samples(): Generator<readonly Sample[]> {
    const { buckets } = this.#description;
    for (const [labels, numbers] of this.#merge()) {
      if (buckets) yield distributionSamples(buckets, labels, numbers.slice(0, -1), numbers.at(-1)!);
      else yield [{ suffix: "", labels, value: numbers[0]! }];
    }
  }
}
