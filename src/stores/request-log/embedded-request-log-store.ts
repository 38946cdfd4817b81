import type { BackgroundTask } from "../../lib/async/background-task.ts";
import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { BodyWriter, type BodyWriterOptions } from "./bodies/body-writer.ts";
import { CurrentDay, type CurrentDayOptions } from "./days/current-day.ts";
import { Retention } from "./retention.ts";
import { LogDays } from "./days/log-days.ts";
import { LogFolder } from "./days/log-folder.ts";
import { LogSearch } from "./log-search.ts";
import { LogWriter } from "./log-writer.ts";
import { DayReaderPool } from "./days/day-reader-pool.ts";
import type { ReceivedBodies } from "./queued-request.ts";
import type {
  LogPosition,
  PositionedRequest,
  ReceivingRequestLogStore,
  RequestFilter,
  RequestLogState,
  RequestStatistics,
  RequestStatisticsQuery,
} from "./request-log-store.ts";
import { RequestQueue } from "./request-queue.ts";
import { uuidOf } from "./days/request-table.ts";
import { LogStatistics } from "./statistics/log-statistics.ts";
import type { Clocks } from "./trusted-wall-clock.ts";

const CLOSE_IDLE_EVERY_MS = 10_000;

export interface RequestLogOptions extends Pick<CurrentDayOptions, "report" | "reportDamaged">, BodyWriterOptions, Clocks {
  /** The folder of the day files. It may be missing or unwritable, now or later. */
  readonly folder: string;
  /** Retention in days after the end of a day. 0 disables the log and deletes existing files. */
  readonly days: number;
  readonly maxBytes: number;
}

/** The request log, in one SQLite file for each day: retention deletes a file, and the ledger's database is never locked. */
export class EmbeddedRequestLogStore implements ReceivingRequestLogStore {
  readonly #isOn: boolean;
  readonly #queue = new RequestQueue();
  readonly #bodies: BodyWriter;
  readonly #current: CurrentDay;
  readonly #writer: LogWriter;
  readonly #search: LogSearch;
  readonly #statistics: LogStatistics;
  readonly #readers: DayReaderPool;
  readonly #timer: Timer;

  constructor(options: RequestLogOptions) {
    this.#isOn = options.days > 0;
    this.#bodies = new BodyWriter(options);
    const folder = new LogFolder(options.folder);
    this.#readers = new DayReaderPool(folder);
    const forget = (day: string): void => this.#readers.close(day);
    const retention = new Retention({ ...options, folder, forget });
    this.#current = new CurrentDay({ ...options, folder, retention, forget });
    this.#writer = new LogWriter({ ...options, queue: this.#queue, bodies: this.#bodies, retention, current: this.#current });
    const days = new LogDays(folder, this.#readers, (day) => this.#current.quarantine(day));
    this.#search = new LogSearch(days);
    this.#statistics = new LogStatistics(days, this.#current);
    this.#timer = setInterval(() => this.#readers.closeIdle(), CLOSE_IDLE_EVERY_MS).unref();
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
    const { written } = this.#writer;
    return { queued: length, written, dropped, drops: { ...drops }, bodyDrops: { ...this.#bodies.drops }, failure: this.#current.failure };
  }

  /** Writes pending requests, if possible. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writer.close();
    this.#readers.closeAll();
  }
}
