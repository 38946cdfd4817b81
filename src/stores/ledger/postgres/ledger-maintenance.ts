import { ownChange, type Change } from "../../../access/change.ts";
import { purseOf } from "../../../money/breakdown.ts";
import { hasCaps } from "../../../money/headroom.ts";
import { formatDollars } from "../../../money/money.ts";
import { monthAt } from "../../../money/period-sums.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { InstanceIsLive, type InstanceRecord, type InstanceStore } from "../instance-store.ts";
import { uncountBreakdown } from "./count-breakdown.ts";
import { readBreakdowns } from "./known-breakdowns.ts";
import { deleteOldReplies } from "./reply-rows.ts";
import { LOST_AFTER } from "./locked-purses.ts";
import { messageOf } from "../../../lib/text/message-of.ts";

/** Longer than the time limit of a statement, after which a live process calls again. */
const EVERY_MS = 6000;
/** Old rows are deleted about once a minute. */
const ROUNDS_BETWEEN_DELETIONS = 10;
const REASON = "it was lost, and with durability cluster every charge of a completed response is in the database";

/**
 * Deletes the rows that ended processes have left. The claims of a process that was written off are void. The journal of a closed process
 * is fully applied; its row is kept for a day, so that a copy of its folder is recognized.
 */
const DELETE_ENDED = [
  "delete from instance_status s where not exists (select from instances where id = s.id and state <> 'closed')",
  "delete from process_reports r where not exists (select from instances where id = r.instance_id and state = 'live')",
  "delete from claims c where expires_at <= authority_now() and not exists (select from instances where id = c.instance_id and state = 'live')",
  "delete from instances where state = 'closed' and seen_at <= authority_now() - interval '1 day'",
];
/**
 * Deletes the rows of end users and tags whose day and month are over. Rows that a process has locked at this moment wait for the next
 * round.
 */
const DELETE_BREAKDOWNS = `delete from purses where (scope, id) in (select scope, id from purses
  where scope in ('user', 'tag') and leased_nanos = 0 and month < $1 for update skip locked)`;

interface LedgerMaintenanceOptions {
  readonly pool: PostgresPool;
  readonly instances: Pick<InstanceStore, "find" | "writeOff">;
  readonly capsOf: CapsOf;
  /** Whether this process is the leader, which alone does this work. */
  readonly isLeader: () => boolean;
  readonly nowMs: () => number;
  /** Called when some maintenance fails, and with undefined when all of it works again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * The background work on a ledger in PostgreSQL, done by one process of the cluster: writes off lost processes, and deletes the rows of
 * ended processes and old replies.
 */
export class LedgerMaintenance {
  readonly #options: LedgerMaintenanceOptions;
  readonly #lost: LostInstances;
  #rounds = 0;
  #hasFailed = false;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: LedgerMaintenanceOptions) {
    this.#options = options;
    this.#lost = new LostInstances(options.pool);
  }

  /** Starts working in the background, in rounds. */
  start(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.run().finally(() => {
        if (this.#timer) this.start();
      });
    }, EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Runs one round, if this process is the leader. Never throws. */
  async run(): Promise<void> {
    if (!this.#options.isLeader()) return this.#lost.forget();
    try {
      const failures = await this.#writeOffLost();
      if (this.#rounds++ % ROUNDS_BETWEEN_DELETIONS === 0) await this.#deleteOld();
      this.#report(failures[0]);
    } catch (error) {
      this.#lost.forget();
      // If the database is away, the ledger reports it.
      if (!(error instanceof StorageUnavailable)) this.#report(messageOf(error));
    }
  }

  /** Returns the reasons why processes could not be written off. */
  async #writeOffLost(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const id of await this.#lost.find()) {
      try {
        await this.#writeOff(id);
      } catch (error) {
        // The next round tries again. Meanwhile this must not prevent the write-off of other processes.
        failures.push(`the lost process ${id} could not be written off: ${messageOf(error)}`);
      }
    }
    return failures;
  }

  async #writeOff(id: string): Promise<void> {
    const { instances, isLeader, nowMs } = this.#options;
    const lost = await instances.find(id);
    if (!lost || !isLeader()) return;
    try {
      await instances.writeOff(id, changeFor(lost, nowMs()));
    } catch (error) {
      // The process is back.
      if (!(error instanceof InstanceIsLive)) throw error;
    }
  }

  #report(failure: string | undefined): void {
    if (this.#hasFailed !== (failure !== undefined)) this.#options.report(failure);
    this.#hasFailed = failure !== undefined;
  }

  /**
   * Stops counting accounts and keys without a spend cap for their end users. If they get such a cap again, their spending is added up
   * again.
   */
  async #uncount(): Promise<void> {
    const { pool, capsOf } = this.#options;
    const { counted } = await readBreakdowns(pool);
    for (const breakdown of counted.all()) {
      if (!hasCaps(capsOf(purseOf(breakdown, undefined)))) await uncountBreakdown(pool, breakdown);
    }
  }

  async #deleteOld(): Promise<void> {
    const { pool, isLeader, nowMs } = this.#options;
    for (const text of DELETE_ENDED) await pool.query(text);
    await this.#uncount();
    await pool.query(DELETE_BREAKDOWNS, [monthAt(nowMs())]);
    for (let isMore = true; isMore && isLeader();) isMore = await deleteOldReplies(pool, nowMs());
  }
}

function changeFor({ id, leases, openHolds, heldNanos, status }: InstanceRecord, atMs: number): Change {
  const ofAccounts = leases.filter(({ purse }) => purse.scope === "account");
  const before = {
    id,
    host: status?.host ?? "",
    leased: formatDollars(ofAccounts.reduce((sum, { nanos }) => sum + nanos, 0n)),
    lease_count: leases.length,
    open_holds: openHolds,
    held: formatDollars(heldNanos),
  };
  return { ...ownChange("instance.write_off", { kind: "instance", id }, { reason: REASON }, atMs), before };
}

/**
 * The number of consecutive checks in which a process must be silent. After an outage of the database or of this process, all processes
 * look silent, but live processes call again between two checks.
 */
const SILENT_CHECKS = 3;

const READ = `select id, extract(epoch from seen_at)::text as seen_at, seen_at < authority_now() - ${LOST_AFTER} as is_lost
  from instances where state = 'live' and durability = 'cluster'`;

interface Silence {
  /** The time of its last call. */
  readonly seenAt: string;
  readonly checks: number;
}

/**
 * Finds the lost processes that can be written off without an operator: processes with durability `cluster`. The database has every charge
 * for a response that a client has received completely, so their journals are not needed.
 */
class LostInstances {
  readonly #pool: Pick<PostgresPool, "query">;
  #silences: ReadonlyMap<string, Silence> = new Map();

  constructor(pool: Pick<PostgresPool, "query">) {
    this.#pool = pool;
  }

  /** Call this repeatedly, with pauses in which every live process calls the database. */
  async find(): Promise<readonly string[]> {
    const rows = await this.#pool.query<{ readonly id: string; readonly seen_at: string; readonly is_lost: boolean }>(READ);
    const before = this.#silences;
    this.#silences = new Map(rows.map(({ id, seen_at: seenAt }) => [id, { seenAt, checks: checksAt(before.get(id), seenAt) }]));
    return rows.flatMap(({ id, is_lost: isLost }) => (isLost && this.#silences.get(id)!.checks >= SILENT_CHECKS ? [id] : []));
  }

  /** The series of checks was interrupted: starts counting again. */
  forget(): void {
    this.#silences = new Map();
  }
}

function checksAt(before: Silence | undefined, seenAt: string): number {
  return before?.seenAt === seenAt ? before.checks + 1 : 1;
}
