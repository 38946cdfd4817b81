import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { LogWriterOptions } from "../log-writer.ts";
import { QueuedRequestLogStore } from "../queued-request-log-store.ts";
import { Retention, type RetentionOptions } from "../retention.ts";
import { BatchWriter } from "./batch-writer.ts";
import { LogMaintenance } from "./log-maintenance.ts";
import { LogPartitions } from "./log-partitions.ts";
import { PostgresLogDatabase } from "./postgres-log-database.ts";

export interface PostgresRequestLogOptions extends LogWriterOptions, RetentionOptions {
  readonly pool: PostgresPool;
}

/**
 * The request log in PostgreSQL, with tables for each day. Every process writes its own requests, and reads the requests of all processes.
 * Requests that another process has noted in the last fraction of a second may be missing.
 */
export class PostgresRequestLogStore extends QueuedRequestLogStore {
  readonly #maintenance: LogMaintenance;

  constructor(options: PostgresRequestLogOptions) {
    const { pool } = options;
    const partitions = new LogPartitions(pool);
    const retention = new Retention(options);
    const writer = new BatchWriter(options, retention, pool, partitions);
    super(new PostgresLogDatabase(pool, partitions, retention), writer, retention, options);
    this.#maintenance = new LogMaintenance(pool, partitions, retention);
  }

  override async close(): Promise<void> {
    await this.#maintenance.close();
    await super.close();
  }
}
