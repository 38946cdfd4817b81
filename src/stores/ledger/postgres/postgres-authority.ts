import { breakdownIn, breakdownKey, type Breakdown } from "../../../money/breakdown.ts";
import type { Purse } from "../../../money/purse.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { Durability } from "../../database.ts";
import type { DatabaseClock } from "../../postgres/database-clock.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import {
  AuthorityUnavailable,
  type Authority,
  type AuthorityListener,
  type JoinReply,
  type Shipment,
  type ShipmentReply,
} from "../leases/authority.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import type { IdempotentReply } from "../ledger-store.ts";
import type { JournalAuthority } from "../processes/process-recovery.ts";
import { countBreakdown } from "./count-breakdown.ts";
import { CreditRecalls } from "./credit-recalls.ts";
import { endInstance } from "./end-instance.ts";
import { joinInstance, leasedBreakdowns, reportInstances, type InstanceReport } from "./instance-rows.ts";
import { BreakdownCache } from "./known-breakdowns.ts";
import { readEnded } from "./load-state.ts";
import { readLeased } from "./locked-purses.ts";
import { LostJoins } from "./lost-joins.ts";
import { findReply } from "./reply-rows.ts";
import { Shipments } from "./shipments.ts";
import { WorkingSet } from "./working-set.ts";

interface PostgresAuthorityOptions {
  readonly pool: PostgresPool;
  /** Read from this process's copies in memory. */
  readonly capsOf: CapsOf;
  /** This process. Other processes that it connects have ended and left a journal. */
  readonly own?: { readonly instanceId: string; readonly durability: Durability };
  /** Called when a process whose journal was applied has ended. */
  readonly ended?: ((instanceId: string) => Promise<void>) | undefined;
  /** Updated by the replies of the database. */
  readonly clock?: DatabaseClock;
}

/**
 * The authority over credit in PostgreSQL, as one process calls it. Leases and open holds are durable: nothing has to be stated after a
 * start. A shipment is one transaction. Transactions lock an instance, then purses in the order of their keys, then the head of the ledger.
 */
export class PostgresAuthority implements Authority, JournalAuthority {
  readonly #pool: PostgresPool;
  readonly #capsOf: CapsOf;
  readonly #own: PostgresAuthorityOptions["own"];
  readonly #ended: PostgresAuthorityOptions["ended"];
  readonly #breakdowns: BreakdownCache;
  readonly #shipments: Shipments;
  readonly #recalls: CreditRecalls;
  /** For each process, the last change that the database is known to have applied. */
  readonly #applied = new Map<string, number>();
  readonly #lostJoins = new LostJoins();
  /** The breakdowns that are being added up, by key. */
  readonly #counting = new Map<string, Promise<void>>();
  #lastCount: Promise<unknown> = Promise.resolve();
  #ownId: string | undefined;
  #unstated: ((run: string, hasLostJoin: boolean) => void) | undefined;

  constructor({ pool, capsOf, own, ended, clock }: PostgresAuthorityOptions) {
    this.#pool = pool;
    this.#capsOf = capsOf;
    this.#own = own;
    this.#ended = ended;
    this.#breakdowns = new BreakdownCache(pool);
    this.#shipments = new Shipments({ pool, capsOf, lostJoins: this.#lostJoins, breakdowns: this.#breakdowns, clock });
    this.#recalls = new CreditRecalls(pool, (instanceId) => this.#knownSeq(instanceId));
  }

  /**
   * Passes the messages of other processes to the ledger of this process. They are read with its shipments, and sooner if a notice arrives.
   */
  connect(instanceId: string, listener: AuthorityListener): void {
    this.#ownId = instanceId;
    this.#recalls.connect(instanceId, listener);
  }

  /**
   * Calls `unstated` repeatedly while this process has not stated its idempotency claims in a run of the database server. `hasLostJoin`:
   * the database has lost the transaction by which a process joined.
   */
  whenUnstated(unstated: (run: string, hasLostJoin: boolean) => void): void {
    this.#unstated = unstated;
  }

  /** Receives notices from now on. Without effect behind a connection pooler. */
  listen(): Promise<void> {
    return available(this.#recalls.listen());
  }

  join(instanceId: string): Promise<JoinReply> {
    return available(this.#join(instanceId));
  }

  async ship(shipment: Shipment): Promise<ShipmentReply> {
    const { changes, instanceId } = shipment;
    const knownSeq = this.#knownSeq(instanceId);
    const applying = changes.length > 0 ? this.#shipments.apply(shipment, knownSeq) : this.#shipments.heartbeat(shipment, knownSeq);
    const { shipped, recalled, unstatedRun } = await available(applying);
    this.#applied.set(instanceId, shipped.appliedSeq);
    this.#recalls.answer(instanceId, recalled);
    if (unstatedRun === null) this.#lostJoins.forget(instanceId);
    else if (instanceId === this.#ownId) this.#unstated?.(unstatedRun, this.#lostJoins.isNoticedBy(instanceId));
    return shipped;
  }

  recall(instanceId: string, purses: readonly Purse[]): Promise<void> {
    return available(this.#recalls.recall(instanceId, purses));
  }

  /** Asks all processes to return unused credit of these purses, before credit is taken from an account. */
  recallAll(purses: readonly Purse[]): Promise<void> {
    return available(this.#recalls.recall(undefined, purses));
  }

  async ensureCounted(purses: readonly Purse[]): Promise<void> {
    const { counted } = await available(this.#breakdowns.current());
    for (const purse of purses) {
      if (!counted.has(purse)) await available(this.#count(breakdownIn(purse)));
    }
  }

  /** Requests that need the same breakdown share its count. Counts run one at a time, because the ledger needs the other connections. */
  #count(breakdown: Breakdown): Promise<void> {
    const key = breakdownKey(breakdown);
    let counting = this.#counting.get(key);
    if (!counting) {
      counting = this.#lastCount
        .then(() => countBreakdown(this.#pool, breakdown))
        .finally(() => {
          this.#counting.delete(key);
          this.#breakdowns.forget();
        });
      this.#counting.set(key, counting);
      this.#lastCount = counting.catch(() => undefined);
    }
    return counting;
  }

  /**
   * The spend caps of these accounts or keys, or of their end users or tags, have changed. Resolves when processes have returned unused
   * credit, or after 2 seconds.
   */
  async capsChanged(purses: readonly Purse[]): Promise<void> {
    const ofBreakdowns = await available(leasedBreakdowns(this.#pool, purses));
    const all = [...purses, ...ofBreakdowns];
    await this.recallAll(all);
    await available(this.#recalls.free(all));
  }

  findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    return available(findReply(this.#pool, scope, nowMs, this.#ownId));
  }

  /**
   * Ends a process whose journal was applied (`closed`), or is given up (`written_off`): closes its open holds by their last reported
   * progress, and returns its leases. Idempotent. Returns false if there is no such process. Throws `InstanceIsLive` when asked to write
   * off a process that has called recently.
   */
  async end(instanceId: string, state: "closed" | "written_off"): Promise<boolean> {
    const isKnown = await available(endInstance(this.#pool, this.#capsOf, instanceId, state));
    if (instanceId !== this.#ownId) await available(this.#ended?.(instanceId) ?? Promise.resolve());
    return isKnown;
  }

  /** All processes whose journal was not applied and closed, with the credit that their loss strands. */
  instances(): Promise<readonly InstanceReport[]> {
    return available(reportInstances(this.#pool));
  }

  /** A process in any state. */
  async find(instanceId: string): Promise<InstanceReport | undefined> {
    return (await available(reportInstances(this.#pool, instanceId)))[0];
  }

  endedAmong(requestIds: readonly string[]): Promise<ReadonlySet<string>> {
    return available(readEnded(this.#pool, requestIds));
  }

  /** Does nothing: a process that does not call is lost after a while, without a write. */
  lose(): void {}

  /** Forgets a closed process whose id cannot come back. */
  async forget(instanceId: string): Promise<void> {
    this.#applied.delete(instanceId);
    await available(this.#pool.query("delete from instances where id = $1 and state = 'closed'", [instanceId]));
  }

  #knownSeq(instanceId: string): number {
    return this.#applied.get(instanceId) ?? 0;
  }

  async #join(instanceId: string): Promise<JoinReply> {
    const durability = instanceId === this.#own?.instanceId ? this.#own.durability : "process";
    const isNew = instanceId === this.#ownId && !this.#applied.has(instanceId);
    this.#breakdowns.forget();
    const { instance, nowMs, joins, isForgotten } = await joinInstance(this.#pool, instanceId, durability, isNew);
    this.#lostJoins.replied(instanceId, joins, isForgotten);
    const { epoch, state, appliedSeq } = instance;
    this.#applied.set(instanceId, appliedSeq);
    const rows = await readLeased(this.#pool, instanceId);
    const breakdowns = await this.#breakdowns.current();
    const { balances } = new WorkingSet({ nowMs, instance, purses: rows, breakdowns }, this.#capsOf).core;
    return { epoch, state, appliedSeq, purses: rows.map(({ scope, id }) => balances.stateOf({ scope, id }, instanceId)) };
  }
}

/** Reports a database that cannot be used as an authority that cannot be reached. */
async function available<Result>(calling: Promise<Result>): Promise<Result> {
  try {
    return await calling;
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new AuthorityUnavailable(error.message, { cause: error });
    throw error;
  }
}
