import { isOfBreakdown } from "../../../money/breakdown.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { HoldEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { makeRelease, makeSettlement } from "../books/closing-entries.ts";
import type { IdempotentReply, NewHold, Settlement } from "../ledger-store.ts";
import { isPaidFrom, pursesOf } from "./changed-purses.ts";
import { confirmationOf, type LeaseChange, type ProcessChange } from "./process-change.ts";
import { type Purse, purseKey } from "../../../money/purse.ts";
import { charge, isLeased, SliceMap, type Slice } from "./slice.ts";
import type { Lease, PurseState } from "./purse-state.ts";

interface OpenRequest {
  readonly hold: HoldEntry;
  /** The slices of its account, of its key, and of its end user and tags if these have spend caps. */
  readonly slices: readonly Slice[];
  /** The amount reserved for a cost above the hold, while the authority is asked for it. */
  excessNanos: Nanos;
  /** Whether the authority was asked for the excess. */
  isExcessAsked: boolean;
}

/**
 * The books of a gateway process: its slices of the purses, its open holds, and its changes in order. A request may only hold what is left
 * in the slice, and a charge lowers the slice at once. Each change gets the next number of the sequence; `record` makes it durable.
 */
export class CreditSlices {
  readonly #slices = new SliceMap();
  readonly #open = new Map<string, OpenRequest>();
  readonly #record: (change: ProcessChange) => void;
  /** Changes that the authority has not confirmed, or has confirmed recently: a restored authority asks for recent changes again. */
  #changes: ProcessChange[] = [];
  #lastSeq = 0;
  #appliedSeq = 0;

  constructor(record: (change: ProcessChange) => void) {
    this.#record = record;
  }

  /** The amount that requests may still hold. */
  availableOf(purse: Purse): Nanos {
    const slice = this.#slices.get(purse);
    return slice ? slice.leaseNanos - slice.heldNanos : 0n;
  }

  find(purse: Purse): Readonly<Slice> | undefined {
    return this.#slices.get(purse);
  }

  /** The number of the last change that the authority has applied. */
  get appliedSeq(): number {
    return this.#appliedSeq;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** The sum of the open holds. */
  get heldNanos(): Nanos {
    let nanos = 0n;
    for (const { hold } of this.#open.values()) nanos += hold.amountNanos;
    return nanos;
  }

  get openRequests(): IterableIterator<string> {
    return this.#open.keys();
  }

  openHold(requestId: string): HoldEntry | undefined {
    return this.#open.get(requestId)?.hold;
  }

  /** The changes that the authority has not applied, in order. It is harmless to send changes again. */
  get unapplied(): readonly ProcessChange[] {
    return this.#changes.slice(this.#indexAfter(this.#appliedSeq));
  }

  /** The number of the last change. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get unappliedCount(): number {
    return this.#lastSeq - this.#appliedSeq;
  }

  /** Reserves credit. The caller must have checked in the same turn of the event loop that the credit is available. */
  hold(hold: NewHold): void {
    const entry: HoldEntry = { ...hold, kind: "hold", id: this.#nextSeq };
    const slices = pursesOf(entry).map((purse) => this.#slices.of(purse));
    this.#open.set(entry.requestId, { hold: entry, slices, excessNanos: 0n, isExcessAsked: false });
    for (const slice of slices) {
      slice.heldNanos += entry.amountNanos;
      slice.unused = 0;
    }
    this.#add(entry);
  }

  /**
   * Reserves the part of a cost that exceeds its hold, beyond the lease if necessary, so that no other request takes it. Returns false if
   * the slices do not cover it: the authority is then asked for more, and the caller settles after its reply, or without a reply if there
   * is none.
   */
  reserveExcess(requestId: string, costNanos: Nanos): boolean {
    const request = this.#openRequest(requestId);
    addHeld(request, -request.excessNanos);
    request.excessNanos = costNanos > request.hold.amountNanos ? costNanos - request.hold.amountNanos : 0n;
    addHeld(request, request.excessNanos);
    const isAsked = this.#askExcess(request);
    request.isExcessAsked ||= isAsked;
    return !isAsked;
  }

  /**
   * Ends a hold with a charge: the cost, limited by how much of the excess over the hold the slices cover. With an idempotent reply, the
   * charge is in force, and the client may see the reply, when the authority has applied it.
   */
  settle(requestId: string, settlement: Settlement, toReply?: (entry: SettleEntry) => IdempotentReply): SettleEntry {
    const { costNanos, capNanos } = settlement;
    const request = this.#openRequest(requestId);
    const { hold, slices, excessNanos } = request;
    let amountNanos = capNanos !== undefined && capNanos < costNanos ? capNanos : costNanos;
    for (const slice of slices) {
      if (!isLeased(slice)) continue;
      const spare = slice.leaseNanos - slice.heldNanos + excessNanos;
      const covered = spare > 0n ? hold.amountNanos + spare : hold.amountNanos;
      if (covered < amountNanos) amountNanos = covered;
    }
    const entry = makeSettlement(this.#nextSeq, hold, settlement, amountNanos);
    const settled = toReply && { entry, reply: toReply(entry) };
    this.#close(request);
    for (const slice of slices) charge(slice, amountNanos);
    this.#add(settled ? { kind: "direct", id: entry.id, requestId, settled } : entry);
    if (request.isExcessAsked) this.#returnExcess(request);
    if (this.#slices.isCrowded) this.#returnCrowded(request);
    return entry;
  }

  /** Ends a hold without a charge. */
  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    const request = this.#openRequest(requestId);
    this.#close(request);
    this.#add(makeRelease(this.#nextSeq, request.hold, reason, atMs, failedAttempts));
    if (request.isExcessAsked) this.#returnExcess(request);
    if (this.#slices.isCrowded) this.#returnCrowded(request);
  }

  /** Asks the authority for this amount in addition to the amount that is available now. */
  widen(purse: Purse, nanos: Nanos): void {
    const slice = this.#slices.of(purse);
    this.#changeLease(purse, "at_least", slice.heldNanos + nanos);
  }

  /** Returns the credit that no request holds. The result is whether anything was returned. */
  returnIdle(purse: Purse): boolean {
    const slice = this.#slices.get(purse);
    if (!slice || slice.leaseNanos <= slice.heldNanos) return false;
    slice.leaseNanos = slice.heldNanos;
    this.#changeLease(purse, "at_most", slice.leaseNanos);
    return true;
  }

  /**
   * Returns the slices without a hold since the last `calls` calls, and slices of end users and tags without a hold since the last call.
   */
  returnUnused(calls: number): void {
    for (const slice of this.#slices.values()) {
      if (++slice.unused >= (isOfBreakdown(slice.purse) ? 1 : calls)) this.returnIdle(slice.purse);
    }
    this.#slices.forgetIdle();
  }

  /** The purses with a lease on which no request has a hold. */
  idlePurses(): readonly Purse[] {
    return [...this.#slices.values()].filter(({ leaseNanos, heldNanos }) => leaseNanos > heldNanos).map(({ purse }) => purse);
  }

  /** The authority has applied changes. A late reply, which arrives after the reply to a later batch, has no new information. */
  acknowledge(appliedSeq: number, purses: readonly PurseState[]): void {
    if (appliedSeq < this.#appliedSeq) return;
    const applied = this.#changes.slice(this.#indexAfter(this.#appliedSeq), this.#indexAfter(appliedSeq));
    this.#appliedSeq = appliedSeq;
    for (const change of applied) {
      if (change.kind === "direct") this.#add(confirmationOf(this.#nextSeq, change));
    }
    for (const state of purses) {
      // A slice that was forgotten meanwhile has nothing to take over, unless a lease was asked for.
      if (state.leaseNanos === 0n && isOfBreakdown(state.purse) && !this.#slices.get(state.purse)) continue;
      const slice = this.#slices.of(state.purse);
      slice.state = state;
      this.#applyPending(slice, state);
    }
  }

  /** Forgets changes up to a number. If the authority is later restored to a state before that number, it has a gap. */
  forgetUpTo(seq: number): void {
    this.#changes.splice(0, this.#indexAfter(Math.min(seq, this.#appliedSeq)));
  }

  /**
   * The process has connected, for the first time or again. An authority that was restored from a backup may lack changes that it had
   * applied: they are sent again. It may also lack leases that it had granted: the process states them.
   */
  connected(appliedSeq: number, purses: readonly PurseState[]): void {
    if (appliedSeq < this.#appliedSeq) this.#resendFrom(appliedSeq);
    else this.acknowledge(appliedSeq, purses);
    // An unsent statement is enough, after any number of attempts to connect.
    if (this.unapplied.some((change) => change.kind === "statement" && change.leases)) return;
    const asked = this.unapplied.filter((change) => change.kind === "lease" && change.bound === "at_least") as LeaseChange[];
    const leases: Lease[] = [];
    for (const { purse, leaseNanos } of this.#slices.values()) if (leaseNanos > 0n) leases.push({ purse, nanos: leaseNanos });
    this.#add({ kind: "statement", id: this.#nextSeq, leases, openRequests: [...this.#open.keys()] });
    // The statement takes back excess that the authority grants for these requests. The requests wait for it, and would be refused or not
    // charged in full.
    for (const request of this.#open.values()) if (request.isExcessAsked) this.#askExcess(request);
    for (const { purse, bound, nanos } of asked) this.#changeLease(purse, bound, nanos);
  }

  /**
   * The authority was restored. Earlier statements of the process are out of date, and are sent again without content, only with their
   * numbers.
   */
  #resendFrom(appliedSeq: number): void {
    this.#appliedSeq = appliedSeq;
    this.#changes = this.#changes.map((change) => (change.kind === "statement" ? { kind: "statement", id: change.id } : change));
  }

  /** The lease in a reply, after the changes that the authority did not have yet. */
  #applyPending(slice: Slice, { purse, leaseNanos }: PurseState): void {
    slice.leaseNanos = leaseNanos;
    slice.chargedNanos = 0n;
    for (const change of this.unapplied) {
      const entry = change.kind === "direct" ? change.settled?.entry : change;
      if (entry?.kind === "settle" && isPaidFrom(purse, entry)) charge(slice, entry.amountNanos);
      else if (entry?.kind === "lease" && entry.bound === "at_most" && purseKey(entry.purse) === purseKey(purse)) {
        if (entry.nanos < slice.leaseNanos) slice.leaseNanos = entry.nanos;
      } else if (entry?.kind === "statement" && entry.leases) slice.leaseNanos = leaseIn(entry.leases, purse);
    }
  }

  /** The index of the first change after a number. */
  #indexAfter(seq: number): number {
    return Math.max(0, this.#changes.length - (this.#lastSeq - seq));
  }

  /** Asks for the amount that a request has reserved beyond the leases. Returns false if the leases cover it. */
  #askExcess({ slices }: OpenRequest): boolean {
    const short = slices.filter((slice) => isLeased(slice) && slice.leaseNanos < slice.heldNanos);
    for (const { purse, heldNanos } of short) this.#changeLease(purse, "overdraw", heldNanos);
    return short.length > 0;
  }

  /**
   * Returns an excess that the authority was asked for: the amount that it has granted beyond the credit, or may still grant, is for no
   * other request.
   */
  #returnExcess({ slices }: OpenRequest): void {
    for (const slice of slices.filter(isLeased)) {
      if (slice.leaseNanos > slice.heldNanos) slice.leaseNanos = slice.heldNanos;
      this.#changeLease(slice.purse, "at_most", slice.leaseNanos);
    }
  }

  /** If many end users have slices, the slices of an ended request are returned at once, and can then be forgotten. */
  #returnCrowded({ slices }: OpenRequest): void {
    for (const { purse } of slices) if (isOfBreakdown(purse)) this.returnIdle(purse);
  }

  #changeLease(purse: Purse, bound: LeaseChange["bound"], nanos: Nanos): void {
    this.#add({ kind: "lease", id: this.#nextSeq, purse, bound, nanos });
  }

  #openRequest(requestId: string): OpenRequest {
    const request = this.#open.get(requestId);
    if (!request) throw new Error(`${requestId} has no open hold`);
    return request;
  }

  #close(request: OpenRequest): void {
    this.#open.delete(request.hold.requestId);
    addHeld(request, -request.hold.amountNanos - request.excessNanos);
  }

  get #nextSeq(): number {
    return this.#lastSeq + 1;
  }

  #add(change: ProcessChange): void {
    this.#lastSeq = change.id;
    this.#record(change);
    this.#changes.push(change);
  }
}

function addHeld({ slices }: OpenRequest, nanos: Nanos): void {
  for (const slice of slices) slice.heldNanos += nanos;
}

/** The lease that the process has stated. The authority will set the lease to it, whatever it has granted meanwhile. */
function leaseIn(leases: readonly Lease[], purse: Purse): Nanos {
  return leases.find((lease) => purseKey(lease.purse) === purseKey(purse))?.nanos ?? 0n;
}
