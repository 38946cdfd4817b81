import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt } from "../../../money/period-sums.ts";
import type { Spender, Spending } from "../../../money/tally.ts";
import type { ApiError } from "../../../requests/api-error.ts";
import { authorityAway } from "../../../requests/authority-away.ts";
import type { Durability } from "../../database.ts";
import { yieldToEventLoop } from "../commit/yield-to-event-loop.ts";
import { ProcessJournal } from "../journal/process-journal.ts";
import {
  ledgerUnavailable,
  type Balance,
  type IdempotentReply,
  type LedgerState,
  type LedgerStore,
  type NewHold,
  type Progress,
  type Settlement,
} from "../ledger-store.ts";
import { AdmissionDeadline } from "./admission-deadline.ts";
import type { Authority, AuthorityListener, Shipped } from "./authority.ts";
import { ChangeLog } from "./change-log.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import { Shipper } from "./shipper.ts";
import { Slices } from "./slices.ts";

export interface LeasedLedgerOptions {
  readonly instanceId: string;
  readonly authority: Authority;
  /** An empty folder for the journal. */
  readonly folder: string;
  readonly durability: Durability;
  readonly monotonicMs: () => number;
  /** Called when the authority cannot be reached, and with undefined when it can again. */
  readonly report: (failure: string | undefined) => void;
  /** The authority accepts no more changes: this process has to end. */
  readonly fenced: (error: Error) => void;
}

/** A request that would exceed the slice asks the authority, and once more after other processes have returned what they do not use. */
const WIDENING_ROUNDS = 2;

/**
 * The ledger of a gateway process that shares the credit with others: it holds and charges from its slices, in memory and in its journal, and
 * ships its changes to the authority. A request waits for the authority only where a slice has to be widened, or stores an idempotent reply.
 */
export class LeasedLedgerStore implements LedgerStore, AuthorityListener {
  readonly #options: LeasedLedgerOptions;
  readonly #journal: ProcessJournal;
  readonly #changes: ChangeLog;
  readonly #slices: Slices;
  readonly #shipper: Shipper;
  readonly #deadline = new AdmissionDeadline();
  readonly #watched = new Map<string, () => Progress | undefined>();
  /** Purses that had nothing left for this process, until the authority says that they have. */
  readonly #exhausted = new Set<PurseKey>();
  /** How often purses have had credit again. */
  #freed = 0;
  /** Whether the authority leases at all: not before all processes have stated their leases. */
  #isLeasing = true;
  /** What requests wait for, while slices are widened. */
  readonly #awaited = new Map<PurseKey, Nanos>();
  readonly availableOf = (purse: Purse): Nanos => this.#slices.availableOf(purse);

  constructor(options: LeasedLedgerOptions) {
    this.#options = options;
    this.#journal = new ProcessJournal(options.folder, options.durability);
    this.#changes = new ChangeLog(this.#journal, () => this.#slices.openCount <= 1);
    this.#slices = new Slices((change) => this.#changes.add(change));
    this.#shipper = new Shipper({
      ...options,
      slices: this.#slices,
      deadline: this.#deadline,
      progress: () => this.#readProgress(),
      shipped: (shipped) => this.#shipped(shipped),
    });
  }

  /** Connects to the authority. Throws `AuthorityUnavailable`. */
  start(): Promise<void> {
    return this.#shipper.start();
  }

  /** The authority's figures, less the charges made here since. Everything that is leased elsewhere counts as held. */
  balanceOf(accountId: string): Balance {
    const slice = this.#slices.find({ scope: "account", id: accountId });
    if (!slice?.state) return { creditNanos: 0n, heldNanos: 0n };
    return { creditNanos: slice.state.creditNanos - slice.chargedNanos, heldNanos: slice.state.elsewhereNanos + slice.heldNanos };
  }

  spendingOf(scope: Spender, id: string, nowMs: number): Spending {
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

  readonly widen = async (purses: readonly Purse[], nanos: Nanos): Promise<void> => {
    for (let round = 1; round <= WIDENING_ROUNDS; round++) {
      const short = purses.filter((purse) => this.availableOf(purse) < nanos && !this.#exhausted.has(purseKey(purse)));
      if (short.length === 0) return;
      const freed = this.#freed;
      await this.#widenTogether(short, nanos);
      // A notice that the purse has credit again may have arrived with the reply.
      if (round < WIDENING_ROUNDS || freed !== this.#freed) continue;
      for (const purse of short) if (this.availableOf(purse) < nanos) this.#exhausted.add(purseKey(purse));
    }
  };

  /** Requests that wait at the same time need the sum of what each of them needs. */
  async #widenTogether(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    if (!this.#deadline.mayAdmit(this.#options.monotonicMs())) throw creditUnknown();
    for (const purse of purses) this.#addAwaited(purse, nanos);
    for (const purse of purses) this.#slices.widen(purse, this.#awaited.get(purseKey(purse))!);
    try {
      await this.#shipper.flush();
    } catch {
      throw creditUnknown();
    } finally {
      for (const purse of purses) this.#addAwaited(purse, -nanos);
    }
    if (!this.#isLeasing) throw creditUnknown();
  }

  #addAwaited(purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const sum = (this.#awaited.get(key) ?? 0n) + nanos;
    if (sum === 0n) this.#awaited.delete(key);
    else this.#awaited.set(key, sum);
  }

  async hold(hold: NewHold): Promise<void> {
    if (this.#changes.failure) throw ledgerUnavailable(this.#changes.failure);
    if (!this.#deadline.mayAdmit(this.#options.monotonicMs())) throw creditUnknown();
    if (this.#slices.openHold(hold.requestId)) throw new Error(`${hold.requestId} has had a hold already`);
    this.#slices.hold(hold);
    try {
      // The event loop may have a disconnect of the client pending: after this turn it is known, and the upstream need not be called.
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
    // An account is charged for a cost above its hold as far as it has credit, which the authority knows. If it is away, the slice decides.
    if (!this.#slices.reserveExcess(requestId, wanted)) await this.#shipper.flush().catch(() => undefined);
    this.#watched.delete(requestId);
    const entry = this.#slices.settle(requestId, settlement, reply);
    if (reply) await this.#shipper.untilApplied(entry.id);
    if (!this.#changes.isDurable) await this.#changes.durable();
    this.#shipper.schedule();
    return entry;
  }

  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.#watched.delete(requestId);
    this.#slices.release(requestId, reason, atMs, failedAttempts);
    this.#shipper.schedule();
  }

  async findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    try {
      return await this.#options.authority.findReply(scope, nowMs);
    } catch {
      throw creditUnknown();
    }
  }

  state(): LedgerState {
    const { openCount, heldNanos, unappliedCount } = this.#slices;
    return { openHolds: openCount, heldNanos, unwrittenEntries: unappliedCount, failure: this.#changes.failure?.message };
  }

  recalled(purse: Purse): void {
    this.#slices.returnIdle(purse);
    void this.#shipper.flush().catch(() => undefined);
  }

  freed(purse: Purse): void {
    this.#freed++;
    this.#exhausted.delete(purseKey(purse));
  }

  disconnected(): void {
    this.#freed++;
    this.#exhausted.clear();
    this.#shipper.disconnected();
  }

  /** Returns what no request holds, ships everything, and closes the journal. Requests that are still in flight are ended by the authority. */
  async close(): Promise<void> {
    for (const purse of this.#slices.idlePurses()) this.#slices.returnIdle(purse);
    await this.#shipper.flush().catch(() => undefined);
    this.#shipper.stop();
    this.#changes.close();
  }

  /** The owner's database is on this machine and is not restored while its processes run, so applied changes need not be kept. */
  #shipped({ appliedSeq, isLeasing }: Shipped): void {
    this.#journal.markApplied(appliedSeq);
    this.#slices.forgetUpTo(appliedSeq);
    this.#isLeasing = isLeasing;
  }

  #readProgress(): ReadonlyMap<string, Progress> {
    const known = new Map<string, Progress>();
    for (const [requestId, read] of this.#watched) {
      const progress = read();
      if (progress) known.set(requestId, progress);
    }
    return known;
  }
}

function creditUnknown(): ApiError {
  return authorityAway("the authority over credit has not answered in time");
}
