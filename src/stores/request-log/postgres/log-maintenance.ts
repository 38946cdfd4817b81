import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { addDays } from "../log-day.ts";
import type { Retention } from "../retention.ts";
import type { LogPartitions } from "./log-partitions.ts";
import { PartitionNames } from "./partition-names.ts";
import { PartitionSums, SUMMED_AT_ONCE } from "./partition-sums.ts";
import { messageOf } from "../../../lib/text/message-of.ts";

const RETENTION_EVERY_MS = 1000;
const SUMS_EVERY_MS = 10_000;

/**
 * The background work of every process for the log: retention, the sums of rows, and the filters of their names. A failure is retried;
 * writes do not wait for this work.
 */
export class LogMaintenance {
  readonly #partitions: LogPartitions;
  readonly #retention: Retention;
  readonly #sums: PartitionSums;
  readonly #names: PartitionNames;
  readonly #timer: Timer;
  #preparedOn = "";
  #sumsAtMs = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(pool: PostgresPool, partitions: LogPartitions, retention: Retention) {
    this.#partitions = partitions;
    this.#retention = retention;
    this.#sums = new PartitionSums(pool);
    this.#names = new PartitionNames(pool);
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
    try {
      await this.#enforceRetention();
      this.#retention.failure = undefined;
    } catch (error) {
      this.#retention.failure = error instanceof StorageUnavailable ? undefined : messageOf(error);
    }
    if (performance.now() < this.#sumsAtMs) return;
    this.#sumsAtMs = performance.now() + SUMS_EVERY_MS;
    await this.#sum();
    await this.#names.advance(await this.#partitions.all());
  }

  /** Creates the tables of today and tomorrow ahead of time, and drops days. Makes no query if nothing can have changed. */
  async #enforceRetention(): Promise<void> {
    const [partitions, retention] = [this.#partitions, this.#retention];
    const { today } = retention;
    if (retention.isOn && today !== this.#preparedOn) {
      for (const day of [today, addDays(today, 1)]) await partitions.ensure(day);
      this.#preparedOn = today;
    }
    const first = retention.firstUnexpired();
    if (first !== undefined && (await partitions.dropBefore(first))) retention.noteDropped();
    if (retention.isMeasureDue()) await partitions.dropBefore(retention.firstThatFits(await partitions.sizes()));
  }

  /** Sums the rows of past days completely. The last rows of today stay in no sum, because their sums would be written too often. */
  async #sum(): Promise<void> {
    for (const { day, lastRow, summedRow } of await this.#partitions.all()) {
      const unsummed = lastRow === null ? 0 : lastRow - summedRow;
      if (unsummed < (day < this.#retention.today ? 1 : SUMMED_AT_ONCE)) continue;
      while (!this.#isClosed && (await this.#sums.advance(day)));
    }
  }
}
