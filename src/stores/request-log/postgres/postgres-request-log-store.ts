import type { BackgroundTask } from "../../../lib/async/background-task.ts";
import type { LoggedBodies, LoggedRequest } from "../../../requests/logged-request.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { BodyWriter, type BodyWriterOptions } from "../bodies/body-writer.ts";
import { uuidOf } from "../days/request-table.ts";
import type { ReceivedBodies } from "../queued-request.ts";
import type {
  LogPosition,
  PositionedRequest,
  ReceivingRequestLogStore,
  RequestFilter,
  RequestLogState,
  RequestStatistics,
  RequestStatisticsQuery,
} from "../request-log-store.ts";
import { RequestQueue } from "../request-queue.ts";
import type { Clocks } from "../trusted-wall-clock.ts";
import { BatchWriter } from "./batch-writer.ts";
import { LogMaintenance } from "./log-maintenance.ts";
import { LogPartitions } from "./log-partitions.ts";
import { PartitionRetention } from "./partition-retention.ts";
import { PartitionSearch } from "./partition-search.ts";
import { PartitionStatistics } from "./partition-statistics.ts";

export interface PostgresRequestLogOptions extends BodyWriterOptions, Clocks {
  readonly pool: PostgresPool;
  /** Retention in days after the end of a day. 0 disables the log and drops existing days. */
  readonly days: number;
  readonly maxBytes: number;
  /** Called when the log becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * The request log in PostgreSQL, with tables for each day. Every process writes its own requests, and reads those of all processes: what another
 * has noted in the last fraction of a second may be missing.
 */
export class PostgresRequestLogStore implements ReceivingRequestLogStore {
  readonly #isOn: boolean;
  readonly #queue = new RequestQueue();
  readonly #bodies: BodyWriter;
  readonly #writer: BatchWriter;
  readonly #maintenance: LogMaintenance;
  readonly #search: PartitionSearch;
  readonly #statistics: PartitionStatistics;

  constructor(options: PostgresRequestLogOptions) {
    const { pool } = options;
    this.#isOn = options.days > 0;
    this.#bodies = new BodyWriter(options);
    const partitions = new LogPartitions(pool);
    const retention = new PartitionRetention({ ...options, partitions });
    this.#writer = new BatchWriter({ ...options, queue: this.#queue, bodies: this.#bodies, partitions, retention });
    this.#maintenance = new LogMaintenance({ ...options, partitions, retention });
    this.#search = new PartitionSearch(pool, partitions, () => retention.lastDay());
    this.#statistics = new PartitionStatistics(pool, this.#search);
  }

  get backgroundTask(): BackgroundTask {
    return this.#writer;
  }

  note(ended: EndedRequest): void {
    if (!this.#isOn) return;
    const queued = this.#queue.add(ended);
    if (queued?.notes.bodies) this.#bodies.reserve(queued);
  }

  receive(records: readonly LoggedRequest[]): void {
    if (this.#isOn) this.#queue.receive(records);
  }

  receiveBodies(received: readonly ReceivedBodies[]): void {
    if (this.#isOn) for (const each of received) this.#bodies.receive(each);
  }

  async list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: "older" | "newer",
    limit: number,
  ): Promise<readonly PositionedRequest[]> {
    await this.#writer.catchUp();
    return this.#search.list(filter, from, direction, limit);
  }

  async find(requestId: string): Promise<LoggedRequest | undefined> {
    const uuid = uuidOf(requestId);
    if (uuid === undefined) return undefined;
    await this.#writer.catchUp();
    return this.#search.find(uuid);
  }

  async hasBodies(requestId: string): Promise<boolean> {
    const uuid = uuidOf(requestId);
    if (uuid === undefined) return false;
    await this.#writer.catchUp();
    return this.#bodies.has(requestId) || this.#search.hasBodies(uuid);
  }

  async bodiesOf(requestId: string): Promise<LoggedBodies | undefined> {
    const uuid = uuidOf(requestId);
    if (uuid === undefined) return undefined;
    await this.#writer.catchUpWithBodies();
    return this.#search.bodies(uuid);
  }

  async statistics(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    await this.#writer.catchUp();
    return this.#statistics.read(query);
  }

  state(): RequestLogState {
    const { length, drops } = this.#queue;
    const dropped = Object.values(drops).reduce((sum, count) => sum + count, 0);
    const { written, failure } = this.#writer;
    return { queued: length, written, dropped, drops: { ...drops }, bodyDrops: { ...this.#bodies.drops }, failure };
  }

  /** Writes pending requests, if possible. */
  async close(): Promise<void> {
    await this.#maintenance.close();
    await this.#writer.close();
  }
}
