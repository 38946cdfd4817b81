import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { LogPartitions } from "../../src/stores/request-log/postgres/log-partitions.ts";
import {
  PostgresRequestLogStore,
  type PostgresRequestLogOptions,
} from "../../src/stores/request-log/postgres/postgres-request-log-store.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { LogUnderTest } from "./log-under-test.ts";

/** A process's request log in a database, and its reports. */
export class LogInPostgres extends LogUnderTest<PostgresRequestLogStore> {
  readonly pool: PostgresPool;
  readonly #options: Partial<PostgresRequestLogOptions>;
  store: PostgresRequestLogStore;

  constructor(pool: PostgresPool, options: Partial<PostgresRequestLogOptions> = {}) {
    super();
    this.pool = pool;
    this.#options = options;
    this.store = this.open();
  }

  /** The days for which there are tables. */
  async days(): Promise<string[]> {
    return (await new LogPartitions(this.pool).all()).map(({ day }) => day);
  }

  /** Closes the log, and empties it for the next test. */
  async remove(): Promise<void> {
    await this.store.close();
    const partitions = new LogPartitions(this.pool);
    for (const { day } of await partitions.all()) await partitions.drop(day);
    await this.pool.query("update request_log_head set newest = ''");
  }

  protected open(): PostgresRequestLogStore {
    return new PostgresRequestLogStore({
      ...STORE_OPTIONS.requestLog,
      pool: this.pool,
      days: 30,
      maxBytes: 1024 ** 3,
      nowMs: () => this.nowMs,
      monotonicMs: () => this.monotonicMs,
      report: (failure) => this.reports.push(failure),
      ...this.#options,
    });
  }
}
