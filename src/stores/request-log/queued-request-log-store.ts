import type { BackgroundTask } from "../../lib/async/background-task.ts";
import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import { MirrorQueue } from "./mirrors/mirror-queue.ts";
import type { LogDatabase } from "./log-database.ts";
import { LogSearch } from "./log-search.ts";
import { daysBetween } from "./log-day.ts";
import type { LogWriter, LogWriterOptions } from "./log-writer.ts";
import { timeInUuid, uuidOf } from "./request-rows.ts";
import type { ReceivedBodies } from "./queued-request.ts";
import type {
  ErasedRequest,
  ReceivingRequestLogStore,
  RequestCount,
  RequestFilter,
  RequestLogState,
  RequestLogStore,
  RequestStatistics,
  RequestStatisticsQuery,
} from "./request-log-store.ts";
import type { Retention } from "./retention.ts";
import { Intervals } from "./statistics/intervals.ts";
import { QUARTER_MS } from "../../lib/time/calendar.ts";

/**
 * A request log whose requests wait in a bounded queue until they are written. A read waits until the requests noted before it are written.
 */
export abstract class QueuedRequestLogStore implements ReceivingRequestLogStore {
  readonly #database: LogDatabase;
  readonly #writer: LogWriter;
  readonly #search: LogSearch;
  readonly #mirrors: MirrorQueue;
  /** If the log is disabled, nothing is queued, and older requests can still be read. */
  readonly #isOn: boolean;

  protected constructor(
    database: LogDatabase,
    writer: LogWriter,
    retention: Retention,
    { redactSecrets }: Pick<LogWriterOptions, "redactSecrets">,
  ) {
    this.#database = database;
    this.#writer = writer;
    this.#search = new LogSearch(database);
    this.#mirrors = new MirrorQueue(async (results) => retention.isFull || writer.writeMirrors(results), redactSecrets);
    this.#isOn = retention.isOn;
  }

  get backgroundTask(): BackgroundTask {
    return this.#writer;
  }

  note(ended: EndedRequest): void {
    if (!this.#isOn) return;
    const queued = this.#writer.queue.add(ended);
    if (queued?.notes.bodies) this.#writer.bodies.reserve(queued);
  }

  noteMirror(result: MirrorResult): void {
    if (this.#isOn) this.#mirrors.add(result);
  }

  receive(records: readonly LoggedRequest[]): void {
    if (this.#isOn) this.#writer.queue.receive(records);
  }

  receiveBodies(received: readonly ReceivedBodies[]): void {
    if (this.#isOn) for (const each of received) this.#writer.bodies.receive(each);
  }

  receiveMirrors(results: readonly MirrorResult[]): void {
    if (this.#isOn) this.#mirrors.add(...results);
  }

  readonly list: RequestLogStore["list"] = async (filter, ...page) => {
    await this.#catchUpFor(filter);
    return this.#search.list(filter, ...page);
  };

  readonly listSorted: RequestLogStore["listSorted"] = async (filter, ...page) => {
    await this.#catchUpFor(filter);
    return this.#search.sort(filter, ...page);
  };

  async count(filter: RequestFilter): Promise<RequestCount> {
    await this.#catchUpFor(filter);
    return countRequests(filter, this.#database, this.#search);
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
    return this.#writer.bodies.has(requestId) || this.#search.hasBodies(uuid);
  }

  async bodiesOf(requestId: string): Promise<LoggedBodies | undefined> {
    const uuid = uuidOf(requestId);
    if (uuid === undefined) return undefined;
    await this.#writer.catchUpWithBodies();
    return this.#search.bodies(uuid);
  }

  async mirrorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, MirrorResult>> {
    await this.#mirrors.flush();
    const found = await this.#search.mirrors(requestIds.flatMap((id) => uuidOf(id) ?? []));
    return new Map(found.map((result) => [result.requestId, result]));
  }

  async mirrorResults(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    await this.#mirrors.flush();
    const found = await this.#search.mirrorsOf(model, fromMs, limit);
    return found.filter(({ requestId }) => timeInUuid(uuidOf(requestId)!) >= fromMs);
  }

  async erase(erased: readonly ErasedRequest[]): Promise<void> {
    await this.#writer.catchUpWithBodies();
    for (const [day, ofDay] of Map.groupBy(erased, ({ position }) => position.day)) await this.#database.erase(day, ofDay);
  }

  async statistics(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    await this.#writer.catchUp();
    return readStatistics(this.#database, query);
  }

  state(): RequestLogState {
    const { length, drops } = this.#writer.queue;
    const dropped = Object.values(drops).reduce((sum, count) => sum + count, 0);
    const { written, failure } = this.#writer;
    return { queued: length, written, dropped, drops: { ...drops }, bodyDrops: { ...this.#writer.bodies.drops }, failure };
  }

  async #catchUpFor({ mirror }: RequestFilter): Promise<void> {
    if (mirror) await this.#mirrors.flush();
    await this.#writer.catchUp();
  }

  /** Writes pending requests, if possible. */
  async close(): Promise<void> {
    await this.#mirrors.close();
    await this.#writer.close();
  }
}

/** Reads statistics from the sums of all days. */
async function readStatistics(database: LogDatabase, query: RequestStatisticsQuery): Promise<RequestStatistics> {
  const intervals = new Intervals(query);
  const days = daysBetween(await database.days(), query.bounds[0], query.bounds.at(-1));
  for (const day of days) await database.addSums(day, intervals);
  const oldest = await database.oldestDay();
  return { ...intervals.measures(), retainedFromMs: oldest === undefined ? null : Date.parse(oldest) };
}

/** A time after all requests, at a quarter hour. */
const END_MS = Date.parse("9999-12-31");

/**
 * Counts requests. Sums by quarter hour count them by account and model, so only the partial quarter hours at either end of a span are
 * read. Other filters read the requests, up to a limit.
 */
async function countRequests(filter: RequestFilter, database: LogDatabase, search: LogSearch): Promise<RequestCount> {
  const { accountId, model, fromMs = 0, toMs = END_MS, ...others } = filter;
  const firstMs = Math.ceil(fromMs / QUARTER_MS) * QUARTER_MS;
  const lastMs = Math.floor(Math.min(toMs, END_MS) / QUARTER_MS) * QUARTER_MS;
  const isSummed = Object.values(others).every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
  if (!isSummed || firstMs >= lastMs) return search.count(filter);
  const { total } = await readStatistics(database, { bounds: [firstMs, lastMs], accountId, model });
  const ends = [
    ...(fromMs < firstMs ? [{ ...filter, toMs: firstMs }] : []),
    ...(toMs > lastMs && toMs < END_MS ? [{ ...filter, fromMs: lastMs }] : []),
  ];
  const counts = await Promise.all(ends.map((end) => search.count(end)));
  return {
    count: counts.reduce((sum, { count }) => sum + count, total.requests),
    isExact: counts.every(({ isExact }) => isExact),
  };
}
