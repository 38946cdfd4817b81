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

/** Above the time limit of a statement, after which a process that lives calls again. */
const EVERY_MS = 6000;
/** What is old is deleted about once a minute. */
const ROUNDS_BETWEEN_DELETIONS = 10;
const REASON = "it was lost, and with durability cluster every charge of a completed response is in the database";

/**
 * What processes have left that have ended. The claims of one that was written off are void. Those that were closed have nothing in a journal; they
 * are kept for a day, so that a copy of their folder is recognised.
 */
const DELETE_ENDED = [
  "delete from instance_status s where not exists (select from instances where id = s.id and state <> 'closed')",
  "delete from process_reports r where not exists (select from instances where id = r.instance_id and state = 'live')",
  "delete from claims c where expires_at <= authority_now() and not exists (select from instances where id = c.instance_id and state = 'live')",
  "delete from instances where state = 'closed' and seen_at <= authority_now() - interval '1 day'",
];
/** End users and tags whose day and month are over. Those that a process has locked at this moment wait for the next round. */
const DELETE_BREAKDOWNS = `delete from purses where (scope, id) in (select scope, id from purses
  where scope in ('user', 'tag') and leased_nanos = 0 and month < $1 for update skip locked)`;

interface LedgerMaintenanceOptions {
  readonly pool: PostgresPool;
  readonly instances: Pick<InstanceStore, "find" | "writeOff">;
  readonly capsOf: CapsOf;
  /** Whether this process is the one of all that does it. */
  readonly isLeader: () => boolean;
  readonly nowMs: () => number;
  /** Called when something cannot be done, and with undefined when everything can be done again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * The background work on a ledger in PostgreSQL that one process of all does: writes lost processes off, and deletes what processes that have ended
 * have left, and old replies.
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

  /** Works from now on, once in a while. */
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

  /** One round, if this process is the leader. Never throws. */
  async run(): Promise<void> {
    if (!this.#options.isLeader()) return this.#lost.forget();
    try {
      const failures = await this.#writeOffLost();
      if (this.#rounds++ % ROUNDS_BETWEEN_DELETIONS === 0) await this.#deleteOld();
      this.#report(failures[0]);
    } catch (error) {
      this.#lost.forget();
      // Where the database is away, the ledger reports it.
      if (!(error instanceof StorageUnavailable)) this.#report(messageOf(error));
    }
  }

  /** Returns why some could not be written off. */
  async #writeOffLost(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const id of await this.#lost.find()) {
      try {
        await this.#writeOff(id);
      } catch (error) {
        // The next round tries again. Meanwhile it must not keep others from being written off.
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
      // It is back.
      if (!(error instanceof InstanceIsLive)) throw error;
    }
  }

  #report(failure: string | undefined): void {
    if (this.#hasFailed !== (failure !== undefined)) this.#options.report(failure);
    this.#hasFailed = failure !== undefined;
  }

  /** What has no spend cap for its end users any more is not counted for them. Where it gets one again, it is added up again. */
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
 * In how many checks in a row a process must have been silent. After an outage of the database, or of this process, all of them were silent for
 * long: those that live call again between two checks.
 */
const SILENT_CHECKS = 3;

const READ = `select id, extract(epoch from seen_at)::text as seen_at, seen_at < authority_now() - ${LOST_AFTER} as is_lost
  from instances where state = 'live' and durability = 'cluster'`;

interface Silence {
  /** Its last call. */
  readonly seenAt: string;
  readonly checks: number;
}

/**
 * Finds the lost processes that can be written off without an operator: those with durability `cluster`. Every charge for a response that a
 * client has received to its end is in the database, so nobody needs their journals.
 */
class LostInstances {
  readonly #pool: Pick<PostgresPool, "query">;
  #silences: ReadonlyMap<string, Silence> = new Map();

  constructor(pool: Pick<PostgresPool, "query">) {
    this.#pool = pool;
  }

  /** To be called again and again, with a pause in which every process that lives calls the database. */
  async find(): Promise<readonly string[]> {
    const rows = await this.#pool.query<{ readonly id: string; readonly seen_at: string; readonly is_lost: boolean }>(READ);
    const before = this.#silences;
    this.#silences = new Map(rows.map(({ id, seen_at: seenAt }) => [id, { seenAt, checks: checksAt(before.get(id), seenAt) }]));
    return rows.flatMap(({ id, is_lost: isLost }) => (isLost && this.#silences.get(id)!.checks >= SILENT_CHECKS ? [id] : []));
  }

  /** The checks until now were interrupted. */
  forget(): void {
    this.#silences = new Map();
  }
}

function checksAt(before: Silence | undefined, seenAt: string): number {
  return before?.seenAt === seenAt ? before.checks + 1 : 1;
}
