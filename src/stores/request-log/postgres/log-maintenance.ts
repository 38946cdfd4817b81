import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { dayOf } from "../log-day.ts";
import type { Clocks } from "../trusted-wall-clock.ts";
import type { LogPartitions } from "./log-partitions.ts";
import { PartitionNames } from "./partition-names.ts";
import type { PartitionRetention } from "./partition-retention.ts";
import { PartitionSums, SUMMED_AT_ONCE } from "./partition-sums.ts";

const RETENTION_EVERY_MS = 1000;
const SUMS_EVERY_MS = 10_000;

interface LogMaintenanceOptions extends Pick<Clocks, "nowMs"> {
  readonly pool: PostgresPool;
  readonly partitions: LogPartitions;
  readonly retention: PartitionRetention;
}

/**
 * The background work of every process for the log: retention, the sums of rows, and the filters of their names. A failure is retried;
 * writes do not wait for this work.
 */
export class LogMaintenance {
  readonly #options: LogMaintenanceOptions;
  readonly #sums: PartitionSums;
  readonly #names: PartitionNames;
  readonly #timer: Timer;
  #sumsAtMs = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LogMaintenanceOptions) {
    this.#options = options;
    this.#sums = new PartitionSums(options.pool);
    this.#names = new PartitionNames(options.pool);
    this.#timer = setInterval(() => this.#tick(), RETENTION_EVERY_MS).unref();
    this.#tick();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #tick(): void {
    this.#running ??= this.#run()
      // Ignored: rows whose sums cannot be written stay without a sum, and the writer reports a database that is away.
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    await this.#options.retention.enforce();
    if (performance.now() < this.#sumsAtMs) return;
    this.#sumsAtMs = performance.now() + SUMS_EVERY_MS;
    await this.#sum();
    await this.#names.advance(await this.#options.partitions.all());
  }

  /** Sums the rows of past days completely. The last rows of today stay in no sum, because their sums would be written too often. */
  async #sum(): Promise<void> {
    const { partitions, nowMs } = this.#options;
    const today = dayOf(nowMs());
    for (const { day, lastRow, summedRow } of await partitions.all()) {
      const unsummed = lastRow === null ? 0 : lastRow - summedRow;
      if (unsummed < (day < today ? 1 : SUMMED_AT_ONCE)) continue;
      while (!this.#isClosed && (await this.#sums.advance(day)));
    }
  }
}
