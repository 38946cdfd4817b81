import type { Purse } from "../../../money/purse.ts";
import type { DatabaseClock } from "../../postgres/database-clock.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { AuthorityUnavailable, type Shipment, type ShipmentReply } from "../leases/authority.ts";
import { returnedIn } from "../leases/changed-purses.ts";
import { endIn } from "../leases/late-adjustment.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { uniquePurses } from "./charged-purses.ts";
import { callInstance, explainFence, leasedPurses, otherLiveInstances, type HeartbeatResult } from "./instance-rows.ts";
import { readHolds, readLateCharges, readPastCharges, readServedAgain } from "./load-state.ts";
import { areBreakdownsChanged, BreakdownsChanged, type BreakdownCache, type KnownBreakdowns } from "./known-breakdowns.ts";
import { addPurses, lockPurses, pursesIn } from "./locked-purses.ts";
import type { LostJoins } from "./lost-joins.ts";
import { inTwoTrips, type PreparedTransaction } from "./transaction.ts";
import { WorkingSet } from "./working-set.ts";
import { toProgressStatement, toStatements } from "./write-set.ts";

/** The result of a shipment, and the tasks that follow for the process. */
interface AppliedShipment extends Pick<HeartbeatResult, "recalled" | "unstatedRun" | "joins"> {
  readonly shipped: ShipmentReply;
}

interface ShipmentOptions {
  readonly pool: PostgresPool;
  readonly capsOf: CapsOf;
  readonly lostJoins: LostJoins;
  readonly breakdowns: BreakdownCache;
  readonly clock?: DatabaseClock | undefined;
}

/** What was read before a transaction takes its locks. */
interface KnownBefore {
  readonly purses: readonly Purse[];
  readonly breakdowns: KnownBreakdowns;
  readonly knownSeq: number;
}

/** Applies the shipments of one process after another. */
export class Shipments {
  readonly #pool: PostgresPool;
  readonly #capsOf: CapsOf;
  readonly #lostJoins: LostJoins;
  readonly #breakdowns: BreakdownCache;
  readonly #clock: DatabaseClock | undefined;

  constructor({ pool, capsOf, lostJoins, breakdowns, clock }: ShipmentOptions) {
    this.#pool = pool;
    this.#capsOf = capsOf;
    this.#lostJoins = lostJoins;
    this.#breakdowns = breakdowns;
    this.#clock = clock;
  }

  /** An empty shipment, in one statement. */
  async heartbeat(shipment: Shipment, knownSeq: number): Promise<AppliedShipment> {
    const { instanceId, progress } = shipment;
    const called = await this.#call(this.#pool, shipment, 0);
    this.#lostJoins.replied(instanceId, called.joins);
    refuseRestored(called, knownSeq);
    if (progress.size > 0) await this.#pool.query(...toProgressStatement(instanceId, progress));
    const { state, appliedSeq } = called.instance;
    return { ...called, shipped: { state, isLeasing: true, appliedSeq, purses: [] } };
  }

  /**
   * `knownSeq`: the number up to which the database is known to have applied changes. A database with a lower number was restored: the
   * process connects again.
   */
  async apply(shipment: Shipment, knownSeq: number): Promise<AppliedShipment> {
    const { changes, instanceId } = shipment;
    const isStatement = changes.some((change) => change.kind === "statement" && change.leases);
    // Leases that the process does not state are returned. Only its own shipments change its leases, or its end does.
    const unstated = isStatement ? await leasedPurses(this.#pool, instanceId) : [];
    for (;;) {
      const breakdowns = await this.#breakdowns.current();
      const purses = uniquePurses([...pursesIn(changes, breakdowns.counted), ...unstated]);
      const known = { purses, breakdowns, knownSeq };
      try {
        const applied = await inTwoTrips(this.#pool, (connection) => this.#prepare(connection, shipment, known));
        if (applied) {
          this.#lostJoins.replied(instanceId, applied.joins);
          return applied;
        }
        await addPurses(this.#pool, purses);
      } catch (error) {
        if (!areBreakdownsChanged(error)) throw error;
        this.#breakdowns.forget();
      }
    }
  }

  /** Locks, reads and computes. Undefined if a purse has no row yet. */
  async #prepare(
    connection: PostgresConnection,
    shipment: Shipment,
    { purses, breakdowns, knownSeq }: KnownBefore,
  ): Promise<PreparedTransaction<AppliedShipment> | undefined> {
    const { instanceId, epoch, changes, progress } = shipment;
    const areLeased = changes.some(({ kind }) => kind === "lease" || kind === "statement");
    const ends = changes.flatMap((change) => endIn(change) ?? []);
    const [called, rows, holds, others] = await Promise.all([
      this.#call(connection, shipment, changes.at(-1)!.id),
      purses.length > 0 ? lockPurses(connection, instanceId, purses, areLeased) : [],
      readHolds(connection, instanceId, ends),
      areLeased ? otherLiveInstances(connection, instanceId) : [],
    ]);
    refuseRestored(called, knownSeq);
    if (called.breakdownsVersion !== breakdowns.version) throw new BreakdownsChanged();
    if (rows.length < purses.length) return undefined;
    const { instance, nowMs, recalled, unstatedRun, joins } = called;
    const isLate = instance.state === "written_off";
    const servedAgain = isLate ? await readServedAgain(connection, changes) : undefined;
    const charges = isLate ? await readLateCharges(connection, ends) : undefined;
    const readCharges = areLeased ? await readPastCharges(connection, rows, nowMs) : undefined;
    const loaded = {
      nowMs,
      instance,
      purses: rows,
      others,
      holds,
      breakdowns,
      ...(charges && { charges }),
      ...(readCharges && { readCharges }),
    };
    const set = new WorkingSet(loaded, this.#capsOf);
    const applicable = servedAgain ? changes.map((change) => withoutServedAgain(change, servedAgain)) : changes;
    const { entries, replies, ...shipped } = set.core.apply(instanceId, epoch, applicable);
    const openBefore = holds.map(({ requestId }) => requestId);
    const statements = toStatements(set, { changes, entries, replies, returned: returnedIn(changes), openBefore });
    if (progress.size > 0) statements.push(toProgressStatement(instanceId, progress));
    return { statements, result: { shipped, recalled, unstatedRun, joins } };
  }

  async #call(on: Pick<PostgresPool, "query">, { instanceId, epoch }: Shipment, lastSeq: number): Promise<HeartbeatResult> {
    const replied = this.#clock?.sent();
    const called = await callInstance(on, instanceId, epoch, lastSeq);
    if (called) replied?.(called.nowMs);
    if (!called) throw await explainFence(on, instanceId, epoch);
    return called;
  }
}

function refuseRestored({ instance }: HeartbeatResult, knownSeq: number): void {
  if (instance.appliedSeq < knownSeq) throw new AuthorityUnavailable("the database was restored");
}

/** If the request was served again by another process, its settlement is reduced to its number, without effect. */
function withoutServedAgain(change: ProcessChange, servedAgain: ReadonlySet<string>): ProcessChange {
  const end = endIn(change);
  return end && servedAgain.has(end.requestId) ? { kind: "direct", id: change.id, requestId: end.requestId } : change;
}
