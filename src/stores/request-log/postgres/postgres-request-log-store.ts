import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { BodyWriter, type BodyWriterOptions } from "../bodies/body-writer.ts";
import { MirrorQueue } from "../mirrors/mirror-queue.ts";
import { QueuedRequestLogStore } from "../queued-request-log-store.ts";
import { RequestQueue } from "../request-queue.ts";
import type { Clocks } from "../trusted-wall-clock.ts";
import { BatchWriter } from "./batch-writer.ts";
import { LogMaintenance } from "./log-maintenance.ts";
import { LogPartitions, isInvalidData, isMissingTable } from "./log-partitions.ts";
import { PartitionRetention } from "./partition-retention.ts";
import { PostgresLogDatabase } from "./postgres-log-database.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import { dayOf } from "../log-day.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import { uuidOf } from "../request-rows.ts";

export interface PostgresRequestLogOptions extends BodyWriterOptions, Clocks {
  readonly pool: PostgresPool;
  /** Retention in days after the end of a day. 0 disables the log and drops existing days. */
  readonly days: number;
  readonly maxBytes: number;
  /** Called when the log becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
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
    const retention = new PartitionRetention({ ...options, partitions });
    const queue = new RequestQueue();
    const bodies = new BodyWriter(options);
    const mirrors = new MirrorQueue(
      async (results) => retention.isFull || writeMirrors(results, { pool, partitions, nowMs: options.nowMs }),
      options.redactSecrets,
    );
    super({
      isOn: options.days > 0,
      queue,
      bodies,
      mirrors,
      writer: new BatchWriter({ ...options, queue, bodies, partitions, retention }),
      database: new PostgresLogDatabase(pool, partitions, () => retention.lastDay()),
    });
    this.#maintenance = new LogMaintenance({ ...options, partitions, retention });
  }

  override async close(): Promise<void> {
    await this.#maintenance.close();
    await super.close();
  }
}

/** Replaces characters within the JSON that PostgreSQL could not read: it rejects the escape of a NUL character. */
function storableValue(_: string, value: unknown): unknown {
  return typeof value === "string" ? storable(value) : value;
}

/** Writes the results of mirrored requests into the table of today. Returns true if that succeeded, or can never succeed. */
async function writeMirrors(
  results: readonly MirrorResult[],
  { pool, partitions, nowMs }: { pool: PostgresPool; partitions: LogPartitions; nowMs: () => number },
): Promise<boolean> {
  const day = dayOf(nowMs());
  try {
    await partitions.ensure(day);
    await pool.query(
      `insert into ${POSTGRES.tablesOf(day).mirrors} select * from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
      [
        results.map(({ requestId }) => uuidOf(requestId)!),
        results.map(({ model }) => storable(model)),
        results.map((result) => JSON.stringify(result, storableValue)),
      ],
    );
    return true;
  } catch (error) {
    // The day was dropped meanwhile.
    if (isMissingTable(error)) partitions.forget(day);
    return isInvalidData(error);
  }
}
