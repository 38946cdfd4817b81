import { TimeSlicer } from "../../lib/async/time-slicer.ts";
import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { Reporter } from "../../lib/ipc/reporter.ts";
import { descriptionOf } from "./descriptions.ts";
import type { Cell, Family } from "./exposition.ts";

export const METRICS_SERVICE = "metrics";

/** The metrics of a gateway process, by name. */
export interface MetricsReport {
  /** How much counters and histograms have increased since the last report. Unchanged ones are omitted. */
  readonly increases: Readonly<Record<string, readonly Cell[]>>;
  /** The current values of gauges, and of all metrics that are not merged. */
  readonly current: Readonly<Record<string, readonly Cell[]>>;
}

/**
 * Reports the metrics of a gateway process to the owner. Counters are reported as increases: the owner's sums outlive the process, and a
 * new owner starts at zero, like any counter after a restart.
 */
export class MetricsReporter {
  readonly service: Reporter;
  readonly #collect: () => Promise<readonly Family[]>;
  /** The values of the last report, by metric and labels. */
  readonly #reported = new Map<string, Map<string, Cell>>();

  constructor(owner: IpcPeer, collect: () => Promise<readonly Family[]>) {
    this.#collect = collect;
    this.service = new Reporter({ name: METRICS_SERVICE, owner, take: (isFirst) => this.#report(isFirst) });
  }

  async #report(isFirst: boolean): Promise<MetricsReport> {
    const increases: Record<string, Cell[]> = {};
    const current: Record<string, Cell[]> = {};
    const slicer = new TimeSlicer();
    for (const family of await this.#collect()) {
      const merge = descriptionOf(family.name)?.merge;
      if (merge === "owner") continue;
      const isIncrease = family.type !== "gauge" && merge === undefined;
      const cells: Cell[] = [];
      const reported = isIncrease ? this.#reported.getOrInsertComputed(family.name, () => new Map()) : undefined;
      // A new owner receives every series, so that every series exists from the start.
      for (const cell of family.cells(isFirst ? undefined : reported)) {
        cells.push(reported ? increaseOf(cell, reported.get(cell[0])) : cell);
        reported?.set(cell[0], cell);
        if (slicer.isDueAfterStep()) await slicer.yield();
      }
      if (cells.length > 0) (isIncrease ? increases : current)[family.name] = cells;
    }
    return { increases, current };
  }
}

function increaseOf([labels, ...numbers]: Cell, before: Cell | undefined): Cell {
  return before ? [labels, ...numbers.map((number, at) => number - Number(before[at + 1]))] : [labels, ...numbers];
}
