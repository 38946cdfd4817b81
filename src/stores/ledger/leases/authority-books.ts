import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Books } from "../books/books.ts";
import { makeRelease, makeSettlement } from "../books/closing-entries.ts";
import type { JournalEntry } from "../journal/journal-fields.ts";
import type { Progress } from "../ledger-store.ts";
import { FencedError, SequenceGapError, type Instance, type InstanceState } from "./instance.ts";
import { LeaseTable } from "./lease-table.ts";
import type { LeaseChange, LeaseStatement, ProcessChange } from "./process-change.ts";
import { purseKey, type CapsOf, type Lease, type Purse, type PurseKey, type PurseState } from "./purse.ts";

/** A widened lease gets at least this part of the free credit per process, so that few requests need a round trip. */
const SHARES_PER_PROCESS = 4n;

export interface AuthorityOptions {
  /** The books of the whole ledger. */
  readonly books: Books;
  readonly capsOf: CapsOf;
  /** The charge of a request that has ended; undefined where it is not in the ledger. */
  readonly chargeOf: (requestId: string) => Nanos | undefined;
  readonly nowMs: () => number;
}

/** A process is connected. */
export interface Joined {
  readonly epoch: number;
  readonly state: InstanceState;
  readonly appliedSeq: number;
  /** The purses that it has leases of. */
  readonly purses: readonly PurseState[];
}

/** What a batch of changes led to. */
export interface Applied {
  /** `written_off`: the process may admit no more requests, and its changes are booked as adjustments. */
  readonly state: InstanceState;
  readonly appliedSeq: number;
  /** The new entries of the ledger, to be written in one transaction with `appliedSeq` and the leases. */
  readonly entries: readonly Entry[];
  /** The purses of the lease changes in the batch. */
  readonly purses: readonly PurseState[];
}

/**
 * The authority's arithmetic: which process has leased how much of which purse, and the entries that processes report. The sum of the
 * leases of a purse never exceeds its credit and spend caps, so processes that spend only from their leases cannot overspend together.
 * All state is in memory; the caller writes each result in one transaction before it replies.
 */
export class AuthorityBooks {
  readonly leases = new LeaseTable();
  readonly #options: AuthorityOptions;
  readonly #instances = new Map<string, Instance>();
  /** The process of each open hold that is not the authority's own. */
  readonly #holders = new Map<string, string>();
  readonly #heldByProcesses = new Map<PurseKey, Nanos>();
  /** After a start of the authority: the processes that have not stated their leases yet. */
  readonly #unstated = new Set<string>();

  constructor(options: AuthorityOptions) {
    this.#options = options;
  }

  /**
   * Loads an instance and its leases from the database at startup. The database may have been restored from a backup that does not know all
   * leases, so nothing is leased before every process that may still run has stated its own.
   */
  load(instance: Instance, leases: readonly Lease[], openHolds: readonly HoldEntry[]): void {
    this.#instances.set(instance.id, instance);
    if (instance.state === "live" || instance.state === "lost") this.#unstated.add(instance.id);
    for (const { purse, nanos } of leases) this.leases.set(instance.id, purse, nanos);
    for (const hold of openHolds) this.#noteHold(instance.id, hold);
  }

  /** A process connects, for the first time or again. Throws `FencedError` where its journal was applied and closed. */
  join(instanceId: string): Joined {
    const known = this.#instances.get(instanceId);
    if (known?.state === "closed") throw new FencedError(`the process ${instanceId} has ended`);
    const instance = known ?? { id: instanceId, epoch: 0, appliedSeq: 0, state: "live" };
    instance.epoch++;
    if (instance.state === "lost") instance.state = "live";
    this.#instances.set(instanceId, instance);
    const { epoch, state, appliedSeq } = instance;
    return { epoch, state, appliedSeq, purses: this.leases.ofInstance(instanceId).map(({ purse }) => this.stateOf(purse, instanceId)) };
  }

  find(instanceId: string): Readonly<Instance> | undefined {
    return this.#instances.get(instanceId);
  }

  /** A process has not been heard from. Its leases stay. */
  lose(instanceId: string): void {
    const instance = this.#instances.get(instanceId);
    if (instance?.state === "live") instance.state = "lost";
  }

  /**
   * Applies the changes of a process that are not applied yet, in order. Throws `FencedError` for a process that may make no more changes,
   * and `SequenceGapError` where a change is missing; nothing is applied then.
   */
  apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): Applied {
    const instance = this.#instances.get(instanceId);
    if (!instance || instance.epoch !== epoch || instance.state === "closed") {
      throw new FencedError(`the process ${instanceId} has ended, or has connected again`);
    }
    const next = changes.find(({ id }) => id > instance.appliedSeq);
    if (next && next.id !== instance.appliedSeq + 1) throw new SequenceGapError(instanceId, instance.appliedSeq, next.id);
    if (instance.state === "lost") instance.state = "live";
    const entries: Entry[] = [];
    const purses = new Map<PurseKey, Purse>();
    for (const change of changes) {
      if (change.kind === "lease") purses.set(purseKey(change.purse), change.purse);
      if (change.id <= instance.appliedSeq) continue;
      instance.appliedSeq = change.id;
      if (instance.state === "written_off") entries.push(...this.#bookLate(change));
      else if (change.kind === "lease") this.#changeLease(instance, change);
      else if (change.kind === "statement") this.#adopt(instance, change);
      else entries.push(this.#book(instance, change));
    }
    const { state, appliedSeq } = instance;
    return { state, appliedSeq, entries, purses: [...purses.values()].map((purse) => this.stateOf(purse, instanceId)) };
  }

  /**
   * Ends a process whose journal was applied (`closed`), or given up (`written_off`): its open holds are charged for their last reported
   * progress, or released, and its leases return to their purses.
   */
  end(instanceId: string, state: "closed" | "written_off", progressOf: (requestId: string) => Progress | undefined): readonly Entry[] {
    const instance = this.#instances.get(instanceId)!;
    if (instance.state === "closed" || instance.state === "written_off") {
      instance.state = state;
      return [];
    }
    const entries: Entry[] = [];
    for (const [requestId, holder] of this.#holders) {
      if (holder !== instanceId) continue;
      entries.push(this.#book(instance, this.#endOpenHold(this.#options.books.open.get(requestId)!, progressOf(requestId))));
    }
    for (const { purse } of this.leases.ofInstance(instanceId)) this.leases.set(instanceId, purse, 0n);
    this.#unstated.delete(instanceId);
    instance.state = state;
    return entries;
  }

  /** What a purse has left for leases. Below zero where a cap was lowered, or the account is in debt. Undefined where nothing limits it. */
  freeOf(purse: Purse): Nanos | undefined {
    const { books, capsOf, nowMs } = this.#options;
    const spending = books.spendingOf(purse.scope, purse.id, nowMs());
    const caps = capsOf(purse);
    const amounts = purse.scope === "account" ? [books.balanceOf(purse.id).creditNanos] : [];
    for (const period of ["day", "month", "total"] as const) {
      const cap = caps[`${period}Nanos`];
      if (cap !== null) amounts.push(cap - spending[`${period}Nanos`]);
    }
    if (amounts.length === 0) return undefined;
    return amounts.reduce(least) - this.leases.sumOf(purse) - this.#ownHolds(purse);
  }

  /** What the authority's own process may hold: all that is free, but nothing while processes have yet to state their leases. */
  availableOf(purse: Purse): Nanos | undefined {
    return this.#unstated.size > 0 ? 0n : this.freeOf(purse);
  }

  stateOf(purse: Purse, instanceId: string): PurseState {
    const { books, nowMs } = this.#options;
    const { dayNanos, monthNanos, totalNanos } = books.spendingOf(purse.scope, purse.id, nowMs());
    const leaseNanos = this.leases.of(instanceId, purse);
    const elsewhereNanos = this.leases.sumOf(purse) - leaseNanos + this.#ownHolds(purse);
    const creditNanos = purse.scope === "account" ? books.balanceOf(purse.id).creditNanos : 0n;
    return { purse, leaseNanos, elsewhereNanos, creditNanos, dayNanos, monthNanos, totalNanos };
  }

  /** The holds of the authority's own process, which takes from what is free. */
  #ownHolds(purse: Purse): Nanos {
    const { heldNanos } = this.#options.books.spendingOf(purse.scope, purse.id, this.#options.nowMs());
    return heldNanos - (this.#heldByProcesses.get(purseKey(purse)) ?? 0n);
  }

  #changeLease({ id: instanceId }: Instance, { purse, bound, nanos }: LeaseChange): void {
    const lease = this.leases.of(instanceId, purse);
    if (bound === "at_most") this.leases.set(instanceId, purse, lease < nanos ? lease : nanos);
    else if (lease < nanos) this.leases.set(instanceId, purse, lease + this.#grant(purse, nanos - lease, bound === "overdraw"));
  }

  #adopt({ id: instanceId }: Instance, { leases }: LeaseStatement): void {
    for (const { purse } of this.leases.ofInstance(instanceId)) this.leases.set(instanceId, purse, 0n);
    for (const { purse, nanos } of leases) this.leases.set(instanceId, purse, nanos);
    this.#unstated.delete(instanceId);
  }

  #grant(purse: Purse, missing: Nanos, mayOverdraw: boolean): Nanos {
    if (mayOverdraw && this.#unstated.size === 0 && this.#isNotInDebt(purse)) return missing;
    const free = this.availableOf(purse);
    if (free === undefined) return missing;
    if (free <= 0n) return 0n;
    const share = free / (SHARES_PER_PROCESS * BigInt(this.#liveCount));
    return least(free, missing > share ? missing : share);
  }

  /** Spend caps do not bound a cost above its hold, and an account never owes more than the excess of one request. */
  #isNotInDebt(purse: Purse): boolean {
    if (purse.scope === "key") return true;
    const { creditNanos } = this.#options.books.balanceOf(purse.id);
    return creditNanos - this.leases.sumOf(purse) - this.#ownHolds(purse) >= 0n;
  }

  get #liveCount(): number {
    let count = 0;
    for (const { state } of this.#instances.values()) if (state === "live") count++;
    return Math.max(1, count);
  }

  #book(instance: Instance, entry: JournalEntry): HoldEntry | SettleEntry | ReleaseEntry {
    const { books } = this.#options;
    if (entry.kind === "hold") {
      const hold = { ...entry, id: books.nextId };
      books.add(hold);
      this.#noteHold(instance.id, hold);
      return hold;
    }
    const hold = books.open.get(entry.requestId);
    if (!hold) throw new Error(`${entry.requestId} of the process ${instance.id} has no open hold`);
    const closing = { ...entry, id: books.nextId, holdId: hold.id };
    books.add(closing);
    this.#holders.delete(hold.requestId);
    for (const purse of pursesOf(hold)) {
      this.#addHeld(purse, -hold.amountNanos);
      if (closing.kind === "settle") this.#lowerLease(instance.id, purse, closing.amountNanos);
    }
    return closing;
  }

  /** A charge lowers credit and lease by the same amount, so that what is free stays the same. */
  #lowerLease(instanceId: string, purse: Purse, charge: Nanos): void {
    const lease = this.leases.of(instanceId, purse);
    if (lease > 0n) this.leases.set(instanceId, purse, lease > charge ? lease - charge : 0n);
  }

  /**
   * A process that was written off is back: the difference between a charge in its journal and the charge of the write-off is an adjustment.
   * Its reference is unique, and the account may go below zero by it.
   */
  #bookLate(change: ProcessChange): readonly CreditEntry[] {
    if (change.kind !== "settle" && change.kind !== "release") return [];
    const cost = change.kind === "settle" ? change.amountNanos : 0n;
    const amountNanos = (this.#options.chargeOf(change.requestId) ?? 0n) - cost;
    if (amountNanos === 0n) return [];
    const { accountId, atMs, keyId, model, requestId } = change;
    const reason = `the process that served ${requestId} (${model}, key ${keyId}) was written off and came back`;
    const entry: CreditEntry = {
      kind: "adjustment",
      id: this.#options.books.nextId,
      accountId,
      atMs,
      actor: "recovery",
      reason,
      amountNanos,
      reference: `late:${requestId}`,
    };
    this.#options.books.add(entry);
    return [entry];
  }

  #endOpenHold(hold: HoldEntry, progress: Progress | undefined): SettleEntry | ReleaseEntry {
    const atMs = this.#options.nowMs();
    const orphan = { ...hold, actor: "recovery" };
    if (!progress) return makeRelease(hold.id, orphan, "the gateway process ended before the answer did", atMs, []);
    const settlement = {
      ...progress,
      capNanos: hold.amountNanos,
      reason: "the gateway process ended in the middle of the answer",
      atMs,
      attempts: 1,
    };
    return makeSettlement(hold.id, orphan, settlement, least(progress.costNanos, hold.amountNanos));
  }

  #noteHold(instanceId: string, hold: HoldEntry): void {
    this.#holders.set(hold.requestId, instanceId);
    for (const purse of pursesOf(hold)) this.#addHeld(purse, hold.amountNanos);
  }

  #addHeld(purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const held = (this.#heldByProcesses.get(key) ?? 0n) + nanos;
    if (held === 0n) this.#heldByProcesses.delete(key);
    else this.#heldByProcesses.set(key, held);
  }
}

/** The purses that a request is paid from. */
function pursesOf({ accountId, keyId }: HoldEntry): readonly Purse[] {
  return [
    { scope: "account", id: accountId },
    { scope: "key", id: keyId },
  ];
}

function least(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}
