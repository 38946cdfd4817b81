import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { AttributionOverflows, UsageReport, UsageReportQuery } from "../ledger-record-store.ts";
import { readSnapshot } from "../postgres-records/read-snapshot.ts";
import { refuseIfLagging } from "./refuse-if-lagging.ts";
import { addToRows, LoadedNames, onlyDimension, PostgresRollups, saveSeries } from "./postgres-rollups.ts";
import { DEFAULT_NAMES_PER_DAY, SERIES_LIMITS, RollupBuilder } from "./rollup-builder.ts";
import { Rollups } from "./rollups.ts";
import { ATTRIBUTION, USAGE } from "./series.ts";
import { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import { readPostgresEvents, type UsageEvent } from "./usage-event.ts";
import { UsageReader } from "./usage-reader.ts";

export interface Pace {
  /**
   * The number of entries that the rollups may lag behind. Reports sum these entries themselves, which takes tens of milliseconds in a
   * report by end user. Updating the rollups sooner would write the same rows more often.
   */
  readonly maxLag: number;
  /**
   * Entries added by one transaction, which takes tenths of a second, or several seconds if nearly every entry belongs to another series.
   */
  readonly entriesAtOnce: number;
  /** The maximum number of end users, of conversations and of values of a tag, for an account and day. */
  readonly namesPerDay: number;
}

const PACE: Pace = { maxLag: 5000, entriesAtOnce: 20_000, namesPerDay: DEFAULT_NAMES_PER_DAY };
const CHECK_EVERY_MS = 1000;
/** Batches that are added to rollups in one turn of the event loop. */
const BATCHES_AT_ONCE = 512;

/**
 * The maximum number of entries that are not in the rollups. A report sums them, and an erasure changes them while rollup updates are
 * paused, which takes about a second.
 */
const MAX_LAG = 200_000;

/**
 * Settings for this transaction only. A report consists of many short index scans, for which parallel workers and compiled code take longer
 * to start than to run.
 */
const PLANNER_SETTINGS = "select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)";

const ADD_BLOCK = `insert into entry_blocks (first_id, last_id, first_ms, last_ms)
  select min(id), max(id), min(at_ms), max(at_ms) from entries where id > $1 and id <= $2 having count(*) > 0`;

/** The last entry in the rollups, and the last entry in the ledger. */
interface RollupProgress {
  readonly asOfId: number;
  readonly lastId: number;
}

/**
 * Adds new entries to the rollups and to the index of their times. The row of the watermark is locked meanwhile: any number of processes may
 * try, and one of them succeeds. Rows and watermark are written in one transaction. Each transaction reads all names again, because another
 * process may have added entries or erased names meanwhile.
 */
export class UsageRollups {
  readonly #pool: PostgresPool;
  readonly #pace: Pace;
  /** Reduced after a failure: a statement may have exceeded its time limit. */
  #entriesAtOnce: number;
  #timer: Timer | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #overflows: AttributionOverflows = { user: 0, conversation: 0, tag: 0 };

  constructor(pool: PostgresPool, pace: Partial<Pace> = {}) {
    this.#pool = pool;
    this.#pace = { ...PACE, ...pace };
    this.#entriesAtOnce = this.#pace.entriesAtOnce;
  }

  /** The number of requests that this process has summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** Adds new entries in the background from now on. */
  start(): void {
    const check = (): void => {
      this.#running = this.#rollAll()
        // Retried at the next check.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#timer = setTimeout(check, CHECK_EVERY_MS).unref();
        });
    };
    this.#timer = setTimeout(check, 0).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Adds the next entries, if enough are missing and no other process is adding them. Returns whether it has added any. */
  async roll(): Promise<boolean> {
    try {
      const more = await this.#pool.transaction((connection) => this.#roll(connection));
      this.#entriesAtOnce = Math.min(this.#pace.entriesAtOnce, this.#entriesAtOnce * 2);
      if (!more) return false;
      const { user, conversation, tag } = this.#overflows;
      this.#overflows = { user: user + more.user, conversation: conversation + more.conversation, tag: tag + more.tag };
      return true;
    } catch (error) {
      this.#entriesAtOnce = Math.ceil(this.#entriesAtOnce / 2);
      throw error;
    }
  }

  async #roll(connection: PostgresConnection): Promise<AttributionOverflows | undefined> {
    // Returns no row, and nothing is written, if another process has locked the row or too few entries are missing.
    const [due] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(
      "select as_of_id, last_id from usage_rolled, ledger_head where last_id - as_of_id > $1 for update of usage_rolled skip locked",
      [this.#pace.maxLag],
    );
    if (!due) return undefined;
    const asOfId = Number(due.as_of_id);
    const toId = Math.min(Number(due.last_id), asOfId + this.#entriesAtOnce);
    const overflows = await addEntries(connection, asOfId, toId, this.#pace.namesPerDay);
    await connection.query(ADD_BLOCK, [asOfId, toId]);
    await connection.query("update usage_rolled set as_of_id = $1", [toId]);
    return overflows;
  }

  async #rollAll(): Promise<void> {
    while (await this.roll()) if (!this.#timer) return;
  }
}

async function addEntries(
  connection: PostgresConnection,
  asOfId: number,
  toId: number,
  namesPerDay: number,
): Promise<AttributionOverflows> {
  const events = await readPostgresEvents(connection, asOfId, toId);
  const names = new LoadedNames(connection, namesPerDay, () => builder.rollups);
  await names.load(events);
  await names.loadSeries(events);
  const builder: RollupBuilder = new RollupBuilder(names, SERIES_LIMITS, () => new Rollups(asOfId));
  await build(builder, events, toId);
  await names.save();
  for (const book of [builder.series, builder.attributed.book]) await saveSeries(connection, book);
  for (const tables of [USAGE, ATTRIBUTION]) {
    await addToRows(
      connection,
      tables,
      builder.rollups.unwritten.filter((rollup) => rollup.tables === tables).flatMap((rollup) => [...rollup.allPending()]),
    );
  }
  return builder.attributed.overflows;
}

/** Adds events in slices, between which requests are served. */
async function build(builder: RollupBuilder, events: readonly UsageEvent[], toId: number): Promise<void> {
  const slicer = new TimeSlicer();
  for (const event of events) {
    builder.add(event);
    if (builder.batches >= BATCHES_AT_ONCE) builder.flush(event.id);
    if (slicer.isDue) await slicer.yield();
  }
  builder.flush(toId);
}

/**
 * Reads the watermark and the last entry. Throws `overloaded` if too many entries are missing. With `isLocked`, no other process moves the
 * watermark until the end of the transaction.
 */
export async function readRollupProgress(connection: PostgresConnection, isLocked = false): Promise<RollupProgress> {
  const sql = `select as_of_id, last_id from usage_rolled, ledger_head ${isLocked ? "for update of usage_rolled" : ""}`;
  const [row] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(sql);
  const progress = { asOfId: Number(row!.as_of_id), lastId: Number(row!.last_id) };
  refuseIfLagging(progress.asOfId, progress.lastId, MAX_LAG);
  return progress;
}

/** A report of the moment: from the rollups, and from the entries that are not in them. */
export async function reportUsage(
  pool: PostgresPool,
  query: UsageReportQuery,
  namesPerDay: number,
  signal?: CancelSignal,
): Promise<UsageReport> {
  if (signal?.aborted) throw new CallerGone();
  const report = await readSnapshot(pool, async (connection) => {
    const [{ asOfId, lastId }] = await Promise.all([readRollupProgress(connection), connection.query(PLANNER_SETTINGS)]);
    const { accountId, attributed } = query;
    const dimension = attributed && (attributed.names || query.by.includes("attributed")) ? attributed.dimension : undefined;
    const latest = await readPostgresEvents(connection, asOfId, lastId, accountId);
    const events = latest.map((event) => (dimension ? onlyDimension(event, dimension) : { ...event, attribution: undefined }));
    const reader = new PostgresRollups(connection);
    const names = new LoadedNames(connection, namesPerDay, () => builder.rollups, reader);
    if (dimension) reader.names = names;
    if (dimension) await names.load(events, dimension);
    // Series in memory are found by their names, so they need not be read.
    const builder: RollupBuilder = new RollupBuilder(names, SERIES_LIMITS, () => new Rollups(asOfId));
    await build(builder, events, lastId);
    return new UsageReader({ reader, pending: builder.rollups, attributed: builder.attributed }, query, signal).report();
  });
  if (signal?.aborted) throw new CallerGone();
  return report;
}
