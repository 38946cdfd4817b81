import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { LogPartitions } from "../../src/stores/request-log/postgres/log-partitions.ts";
import {
  PostgresRequestLogStore,
  type PostgresRequestLogOptions,
} from "../../src/stores/request-log/postgres/postgres-request-log-store.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { endedRequest, type EndedSketch } from "./ended-requests.ts";

/** A request log in a database, as one process has it, and what it reports. */
export class LogInPostgres {
  readonly pool: PostgresPool;
  /** Trouble as it begins and, with undefined, ends. */
  readonly reports: (string | undefined)[] = [];
  readonly #options: Partial<PostgresRequestLogOptions>;
  store: PostgresRequestLogStore;
  nowMs = Date.parse("2027-01-31T12:00:00Z");
  /** By the clock that is never set. */
  monotonicMs = 0;

  constructor(pool: PostgresPool, options: Partial<PostgresRequestLogOptions> = {}) {
    this.pool = pool;
    this.#options = options;
    this.store = this.#open();
  }

  /** Notes requests, and gives their ids. */
  note(...sketches: readonly EndedSketch[]): string[] {
    return sketches.map((sketch) => {
      const ended = endedRequest({ endedAtMs: this.nowMs, ...sketch });
      this.store.note(ended);
      return ended.requestId;
    });
  }

  noteMany(count: number, sketch: EndedSketch = {}): string[] {
    return this.note(...Array.from({ length: count }, () => sketch));
  }

  /** Time goes by, on both clocks. */
  pass(ms: number): void {
    this.nowMs += ms;
    this.monotonicMs += ms;
  }

  /** The ids of all logged requests, in order. */
  async ids(): Promise<string[]> {
    return (await this.store.list({}, undefined, "newer", 100_000)).map(({ request }) => request.requestId);
  }

  /** The days that have tables. */
  async days(): Promise<string[]> {
    return (await new LogPartitions(this.pool).all()).map(({ day }) => day);
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = this.#open();
  }

  /** Closes the log, and empties it for the next test. */
  async remove(): Promise<void> {
    await this.store.close();
    const partitions = new LogPartitions(this.pool);
    for (const { day } of await partitions.all()) await partitions.drop(day);
    await this.pool.query("update request_log_head set newest = ''");
  }

  #open(): PostgresRequestLogStore {
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
