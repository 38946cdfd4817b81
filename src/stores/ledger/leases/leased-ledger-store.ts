import { isOfBreakdown } from "../../../money/breakdown.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { EntryOfRequest, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt } from "../../../money/period-sums.ts";
import type { Spending } from "../../../money/tally.ts";
import type { Durability } from "../../database.ts";
import { yieldToEventLoop } from "../commit/yield-to-event-loop.ts";
import { AppliedRetention } from "../journal/applied-retention.ts";
import { ProcessJournal } from "../journal/process-journal.ts";
import {
  ledgerUnavailable,
  type Balance,
  type IdempotentReply,
  type LeasedCredit,
  type LedgerState,
  type LedgerStore,
  type NewHold,
  type Progress,
  type Settlement,
} from "../ledger-store.ts";
import { AdmissionDeadline } from "./admission-deadline.ts";
import { NO_ANSWER, type Authority, type AuthorityListener, type ShipmentReply } from "./authority.ts";
import { authorityAway } from "../../../requests/authority-away.ts";
import { pursesOf } from "./changed-purses.ts";
import { ChangeLog } from "./change-log.ts";
import { type Purse, purseKey, type PurseKey, type PurseScope } from "../../../money/purse.ts";
import { Shipper } from "./shipper.ts";
import { CreditSlices } from "./credit-slices.ts";
import { Widening } from "./widening.ts";

interface LeasedLedgerOptions {
  readonly instanceId: string;
  readonly authority: Authority;
  /** An empty folder for the journal. */
  readonly folder: string;
  readonly durability: Durability;
  /**
   * How long applied changes are kept, for an authority whose database may be restored to an earlier state. By default they are forgotten
   * at once: the owner's database is on this machine, and is not restored while its processes run.
   */
  readonly keepAppliedMs?: number;
  readonly monotonicMs: () => number;
  /** How long requests are admitted after the last answer of the authority. */
  readonly admitMs?: number;
  /**
   * The time until which keys, prices and limits are known to be current. No answer of the authority extends the right to admit requests
   * beyond it.
   */
  readonly currentUntilMs: () => number;
  /** Called when the authority cannot be reached, and with undefined when it can be reached again. */
  readonly report: (failure: string | undefined) => void;
  /** Called when the authority accepts no more changes of this process, which then has to end. */
  readonly fenced: (error: Error) => void;
}

/** How long after a recall the purse's slice is returned with each request that ends: other processes need it. */
const RECALLED_MS = 10_000;
/** The number of end users is not limited: above this number of recalled purses, expired ones are forgotten. */
const MANY_RECALLED = 10_000;
/** A slice that was not used in three of these intervals is returned, after 60 to 90 seconds. */
const UNUSED_INTERVAL_MS = 30_000;
const UNUSED_INTERVALS = 3;
const PROGRESS_EVERY_MS = 1000;
const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map();

/**
 * The ledger of a gateway process that shares the credit with other processes: it holds and charges from its slices, in memory and in its
 * journal, and ships its changes to the authority. A request waits for the authority only if a slice has to be widened, or if it stores an
 * idempotent reply; with durability `cluster`, also at its settlement.
 */
export class LeasedLedgerStore implements LedgerStore, AuthorityListener {
  readonly #options: LeasedLedgerOptions;
  readonly #journal: ProcessJournal;
  readonly #retention: AppliedRetention;
  readonly #changes: ChangeLog;
  readonly #slices: CreditSlices;
  readonly #shipper: Shipper;
  readonly #deadline: AdmissionDeadline;
  readonly #watched = new Map<string, () => Progress | undefined>();
  /** The times until which recalled slices are returned as soon as they are idle. */
  readonly #recalled = new Map<PurseKey, number>();
  #unusedAtMs = 0;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  readonly #widening: Widening;
  readonly leases: LeasedCredit = this;

  constructor(options: LeasedLedgerOptions) {
    this.#options = options;
    this.#deadline = new AdmissionDeadline(options.admitMs);
    this.#unusedAtMs = options.monotonicMs();
    this.#journal = new ProcessJournal(options.folder, options.durability);
    this.#retention = new AppliedRetention(options.keepAppliedMs ?? 0);
    this.#changes = new ChangeLog(this.#journal, () => this.#slices.openCount <= 1);
    this.#slices = new CreditSlices((change) => this.#changes.add(change));
    this.#shipper = new Shipper({
      ...options,
      slices: this.#slices,
      deadline: this.#deadline,
      progress: () => this.#readProgress(),
      shipped: (shipped) => this.#shipped(shipped),
    });
    const { authority, instanceId, monotonicMs } = options;
    this.#widening = new Widening({
      slices: this.#slices,
      ship: () => this.#shipper.flush(),
      recall: (purse) => authority.recall(instanceId, [purse]),
      deadline: this.#deadline,
      monotonicMs,
    });
  }

  /** Connects to the authority. Throws `AuthorityUnavailable`. */
  start(): Promise<void> {
    return this.#shipper.start();
  }

  /** The authority's figures, minus the charges made here since. All credit that is leased to other processes counts as held. */
  balanceOf(accountId: string): Balance {
    const slice = this.#slices.find({ scope: "account", id: accountId });
    if (!slice?.state) return { creditNanos: 0n, heldNanos: 0n };
    return { creditNanos: slice.state.creditNanos - slice.chargedNanos, heldNanos: slice.state.elsewhereNanos + slice.heldNanos };
  }

  spendingOf(scope: PurseScope, id: string, nowMs: number): Spending {
    const slice = this.#slices.find({ scope, id });
    if (!slice?.state) return { heldNanos: slice?.heldNanos ?? 0n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n };
    const { state, chargedNanos, heldNanos } = slice;
    const isSameDay = dayAt(state.atMs) === dayAt(nowMs);
    const isSameMonth = isSameDay || monthAt(state.atMs) === monthAt(nowMs);
    return {
      heldNanos: state.elsewhereNanos + heldNanos,
      dayNanos: (isSameDay ? state.dayNanos : 0n) + chargedNanos,
      monthNanos: (isSameMonth ? state.monthNanos : 0n) + chargedNanos,
      totalNanos: state.totalNanos + chargedNanos,
    };
  }

  /** Whether the authority has answered recently enough to admit requests. */
  get mayAdmit(): boolean {
    return this.#deadline.mayAdmit(this.#options.monotonicMs());
  }

  async hold(hold: NewHold): Promise<void> {
    if (this.#changes.failure) throw ledgerUnavailable(this.#changes.failure);
    if (!this.mayAdmit) throw authorityAway(NO_ANSWER);
    if (this.#slices.openHold(hold.requestId)) throw new Error(`${hold.requestId} has had a hold already`);
    // The authority need not have the hold before the upstream is called, whatever the durability: the lease covers the hold, and no other
    // process can spend a lease before this process is written off. If a hold is lost with this process, no client has seen its reply
    // complete.
    this.#slices.hold(hold);
    try {
      // A disconnect of the client may be pending in the event loop. After this turn it is known, so that the upstream need not be called.
      await (this.#changes.isDurable ? yieldToEventLoop() : this.#changes.attempted());
    } catch (error) {
      this.release(hold.requestId, "the hold could not be recorded", hold.atMs);
      throw ledgerUnavailable(error as Error);
    }
    this.#shipper.schedule();
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.#watched.set(requestId, progress);
  }

  async settle(requestId: string, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry> {
    const { costNanos, capNanos } = settlement;
    const wanted = capNanos !== undefined && capNanos < costNanos ? capNanos : costNanos;
    // An account is charged for a cost above its hold as far as it has credit, which the authority knows. If the authority is away, the
    // slice decides.
    if (!this.#slices.reserveExcess(requestId, wanted)) await this.#shipper.flush().catch(() => undefined);
    this.#watched.delete(requestId);
    const entry = this.#slices.settle(requestId, settlement, reply);
    if (reply || this.#options.durability === "cluster") await this.#untilApplied(entry);
    if (this.#recalled.size > 0) this.#returnRecalled(entry);
    if (!this.#changes.isDurable) await this.#changes.durable();
    this.#shipper.schedule();
    return entry;
  }

  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.#watched.delete(requestId);
    const hold = this.#slices.openHold(requestId);
    this.#slices.release(requestId, reason, atMs, failedAttempts);
    if (hold && this.#recalled.size > 0) this.#returnRecalled(hold);
    this.#shipper.schedule();
  }

  async findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    try {
      return await this.#options.authority.findReply(scope, nowMs);
    } catch {
      throw authorityAway(NO_ANSWER);
    }
  }

  /** Ships everything recorded until now, for readers of the ledger; does nothing while the authority is away. */
  async catchUp(): Promise<void> {
    if (this.#slices.unappliedCount > 0) await this.#shipper.flush().catch(() => undefined);
  }

  /**
   * Ships everything recorded until now, and the changes that a restored authority lacks. Throws `AuthorityUnavailable` if the attempt
   * fails.
   */
  shipAll(): Promise<void> {
    return this.#shipper.flush();
  }

  state(): LedgerState {
    const { openCount, heldNanos, unappliedCount } = this.#slices;
    return { openHolds: openCount, heldNanos, unwrittenEntries: unappliedCount, failure: this.#changes.failure?.message };
  }

  async recalled(purse: Purse): Promise<void> {
    const nowMs = this.#options.monotonicMs();
    if (this.#recalled.size > MANY_RECALLED) for (const [key, untilMs] of this.#recalled) if (untilMs <= nowMs) this.#recalled.delete(key);
    this.#recalled.set(purseKey(purse), nowMs + RECALLED_MS);
    await this.#widening.used(purse);
    this.#slices.returnIdle(purse);
    // Credit may have been returned before, and its return may still be in flight.
    if (this.#slices.unappliedCount > 0) await this.#shipper.flush();
  }

  connected(): void {
    void this.#shipper.flush().catch(() => undefined);
  }

  onCreditAvailable(purse: Purse): void {
    this.#widening.onCreditAvailable(purse);
  }

  disconnected(): void {
    this.#widening.forget();
    this.#shipper.disconnected();
  }

  /**
   * Returns the credit that no request holds, ships everything, and closes the journal. The authority ends requests that are still in
   * flight.
   */
  async close(): Promise<void> {
    for (const purse of this.#slices.idlePurses()) this.#slices.returnIdle(purse);
    await this.#shipper.flush().catch(() => undefined);
    this.#shipper.stop();
    this.#changes.close();
  }

  availableOf(purse: Purse): Nanos {
    return this.#slices.availableOf(purse);
  }

  /** Spending is counted when the purse is leased. */
  ensureCounted(): undefined {
    return undefined;
  }

  async widen(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    const ofBreakdowns = purses.filter(isOfBreakdown);
    try {
      if (ofBreakdowns.length > 0) await this.#options.authority.ensureCounted(ofBreakdowns);
    } catch {
      throw authorityAway(NO_ANSWER);
    }
    await this.#widening.widen(purses, nanos);
  }

  /** Many settlements share a shipment: one shipment is in flight at a time, and the next one has all settlements made meanwhile. */
  async #untilApplied({ id }: SettleEntry): Promise<void> {
    try {
      await this.#shipper.untilApplied(id);
    } catch (error) {
      throw ledgerUnavailable(error as Error);
    }
  }

  #shipped({ appliedSeq, isLeasing }: ShipmentReply): void {
    const nowMs = this.#options.monotonicMs();
    const forgottenSeq = this.#retention.applied(appliedSeq, nowMs);
    this.#journal.markApplied(appliedSeq, forgottenSeq);
    this.#slices.forgetUpTo(forgottenSeq);
    this.#widening.isLeasing = isLeasing;
    if (nowMs - this.#unusedAtMs < UNUSED_INTERVAL_MS) return;
    this.#unusedAtMs = nowMs;
    this.#slices.returnUnused(UNUSED_INTERVALS);
  }

  /** Returns recalled slices after a request that was paid from them: other processes need these purses. */
  #returnRecalled(entry: EntryOfRequest): void {
    const nowMs = this.#options.monotonicMs();
    for (const purse of pursesOf(entry)) {
      const untilMs = this.#recalled.get(purseKey(purse));
      if (untilMs === undefined) continue;
      if (nowMs < untilMs && !this.#widening.isAsking(purse)) this.#slices.returnIdle(purse);
      else this.#recalled.delete(purseKey(purse));
    }
  }

  /** Reads the progress at most once a second: a shipment may be made every few milliseconds. */
  #readProgress(): ReadonlyMap<string, Progress> {
    const nowMs = this.#options.monotonicMs();
    if (nowMs - this.#progressAtMs < PROGRESS_EVERY_MS) return NO_PROGRESS;
    this.#progressAtMs = nowMs;
    const known = new Map<string, Progress>();
    for (const [requestId, read] of this.#watched) {
      const progress = read();
      if (progress) known.set(requestId, progress);
    }
    return known;
  }
}
