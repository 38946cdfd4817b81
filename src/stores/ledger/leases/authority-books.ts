import type { CreditEntry, Entry, EntryOfRequest, HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Books } from "../books/books.ts";
import { closeOrphans } from "../books/close-orphans.ts";
import { makeRelease, makeSettlement } from "../books/closing-entries.ts";
import type { IdempotentReply, Progress } from "../ledger-store.ts";
import type { Joined, Shipped } from "./authority.ts";
import { FencedError, SequenceGapError, type Instance } from "./instance.ts";
import type { LeaseChange, ProcessChange } from "./process-change.ts";
import { PurseBalances } from "./purse-balances.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import type { CapsOf, Lease } from "./purse-state.ts";

/** A widened lease gets at least this part of the free credit per process, so that few requests need a round trip. */
const SHARES_PER_PROCESS = 4n;

export interface AuthorityOptions {
  /** The books of the whole ledger. */
  readonly books: Books;
  readonly capsOf: CapsOf;
  /** What was charged for a request, with its late adjustment; undefined where it is not in the ledger. */
  readonly chargeOf: (requestId: string) => Nanos | undefined;
  readonly nowMs: () => number;
}

/** What a batch of changes led to. */
export interface Applied extends Shipped {
  /** The new entries of the ledger, to be written in one transaction with `appliedSeq` and the leases. */
  readonly entries: readonly Entry[];
  /** The idempotent replies of these entries. */
  readonly replies: readonly IdempotentReply[];
}

/**
 * The authority's arithmetic: which process has leased how much of which purse, and the entries that processes report. The sum of the
 * leases of a purse never exceeds its credit and spend caps, so processes that spend only from their leases cannot overspend together.
 * All state is in memory; the caller writes each result in one transaction before it replies.
 */
export class AuthorityBooks {
  readonly balances: PurseBalances;
  readonly #options: AuthorityOptions;
  readonly #instances = new Map<string, Instance>();
  /** The process of each open hold that is not the authority's own. */
  readonly #holders = new Map<string, string>();
  /** After a start of the authority: the processes that have not stated their leases yet. */
  readonly #unstated = new Set<string>();

  constructor(options: AuthorityOptions) {
    this.#options = options;
    this.balances = new PurseBalances(options.books, options.capsOf, options.nowMs);
  }

  /**
   * Loads an instance and its leases from the database at startup. The database may have been restored from a backup that does not know all
   * leases, so nothing is leased before every live process has stated its own. A lost one keeps those that are known.
   */
  load(instance: Instance, leases: readonly Lease[], openHolds: readonly HoldEntry[]): void {
    this.#instances.set(instance.id, instance);
    if (instance.state === "live") this.#unstated.add(instance.id);
    for (const { purse, nanos } of leases) this.balances.leases.set(instance.id, purse, nanos);
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
    return {
      epoch,
      state,
      appliedSeq,
      purses: this.balances.leases.ofInstance(instanceId).map(({ purse }) => this.balances.stateOf(purse, instanceId)),
    };
  }

  find(instanceId: string): Readonly<Instance> | undefined {
    return this.#instances.get(instanceId);
  }

  /** A process has missed its heartbeats. Its leases stay. */
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
    this.#refuseIncomplete(instance, changes);
    if (instance.state === "lost") instance.state = "live";
    const entries: Entry[] = [];
    const replies: IdempotentReply[] = [];
    const purses = new Map<PurseKey, Purse>();
    for (const change of changes) {
      if (change.kind === "lease") purses.set(purseKey(change.purse), change.purse);
      if (change.id <= instance.appliedSeq) continue;
      instance.appliedSeq = change.id;
      entries.push(...this.#applyChange(instance, change));
      if (change.kind === "direct" && change.settled) replies.push(change.settled.reply);
    }
    const { state, appliedSeq } = instance;
    const isLeasing = this.#unstated.size === 0;
    return {
      state,
      isLeasing,
      appliedSeq,
      entries,
      replies,
      purses: [...purses.values()].map((purse) => this.balances.stateOf(purse, instanceId)),
    };
  }

  /**
   * Ends a process whose journal was applied (`closed`), or given up (`written_off`): its open holds are charged for their last reported
   * progress, or released, and its leases return to their purses.
   */
  end(instanceId: string, state: "closed" | "written_off", progress: ReadonlyMap<string, Progress>): readonly Entry[] {
    const instance = this.#instances.get(instanceId)!;
    if (instance.state === "closed" || instance.state === "written_off") {
      instance.state = state;
      return [];
    }
    const entries: Entry[] = [];
    closeOrphans(this.#openHoldsOf(instanceId), progress, this.#options.nowMs(), {
      settle: (hold, settlement) => {
        const amountNanos = least(settlement.costNanos, hold.amountNanos);
        entries.push(this.#book(instance, makeSettlement(hold.id, hold, settlement, amountNanos)));
      },
      release: (hold, reason, atMs) => entries.push(this.#book(instance, makeRelease(hold.id, hold, reason, atMs, []))),
    });
    for (const { purse } of this.balances.leases.ofInstance(instanceId)) this.balances.leases.set(instanceId, purse, 0n);
    this.#unstated.delete(instanceId);
    instance.state = state;
    return entries;
  }

  /** What the authority's own process may hold: all that is free, but nothing while processes have yet to state their leases. */
  availableOf(purse: Purse): Nanos | undefined {
    return this.#unstated.size > 0 ? 0n : this.balances.freeOf(purse);
  }

  /** Before anything is applied: a batch is applied as a whole or not at all. */
  #refuseIncomplete({ id: instanceId, appliedSeq, state }: Instance, changes: readonly ProcessChange[]): void {
    let last = appliedSeq;
    const opened = new Set<string>();
    for (const change of changes) {
      if (change.id <= last) continue;
      if (change.id !== last + 1) throw new SequenceGapError(instanceId, last, change.id);
      last = change.id;
      if (change.kind === "hold") opened.add(change.requestId);
      const closed = closedBy(change);
      if (closed === undefined || state === "written_off" || opened.delete(closed) || this.#options.books.open.has(closed)) continue;
      throw new Error(`${closed} of the process ${instanceId} has no open hold`);
    }
  }

  #applyChange(instance: Instance, change: ProcessChange): readonly Entry[] {
    if (instance.state === "written_off") return this.#bookLate(change);
    if (change.kind === "direct") return change.settled ? [this.#book(instance, change.settled.entry)] : [];
    if (change.kind === "confirmed")
      return this.#options.books.open.has(change.entry.requestId) ? [this.#book(instance, change.entry)] : [];
    if (change.kind === "lease") this.#changeLease(instance, change);
    else if (change.kind === "statement") this.#adopt(instance, change.leases);
    else return [this.#book(instance, change)];
    return [];
  }

  #changeLease({ id: instanceId }: Instance, { purse, bound, nanos }: LeaseChange): void {
    const lease = this.balances.leases.of(instanceId, purse);
    if (bound === "at_most") this.balances.leases.set(instanceId, purse, lease < nanos ? lease : nanos);
    else if (lease < nanos) this.balances.leases.set(instanceId, purse, lease + this.#grant(purse, nanos - lease, bound === "overdraw"));
  }

  #adopt({ id: instanceId }: Instance, leases: readonly Lease[] | undefined): void {
    if (!leases) return;
    for (const { purse } of this.balances.leases.ofInstance(instanceId)) this.balances.leases.set(instanceId, purse, 0n);
    for (const { purse, nanos } of leases) this.balances.leases.set(instanceId, purse, nanos);
    this.#unstated.delete(instanceId);
  }

  #grant(purse: Purse, missing: Nanos, mayOverdraw: boolean): Nanos {
    if (mayOverdraw && this.#unstated.size === 0 && this.balances.mayOverdraw(purse)) return missing;
    const free = this.availableOf(purse);
    if (free === undefined) return missing;
    if (free <= 0n) return 0n;
    const share = free / (SHARES_PER_PROCESS * BigInt(this.#liveCount));
    return least(free, missing > share ? missing : share);
  }

  get #liveCount(): number {
    let count = 0;
    for (const { state } of this.#instances.values()) if (state === "live") count++;
    return Math.max(1, count);
  }

  #book(instance: Instance, entry: EntryOfRequest): HoldEntry | SettleEntry | ReleaseEntry {
    const { books } = this.#options;
    if (entry.kind === "hold") {
      const hold = { ...entry, id: books.nextId };
      books.add(hold);
      this.#noteHold(instance.id, hold);
      return hold;
    }
    const hold = books.open.get(entry.requestId)!;
    const closing = { ...entry, id: books.nextId, holdId: hold.id };
    books.add(closing);
    this.#holders.delete(hold.requestId);
    this.balances.endHold(instance.id, hold, closing.kind === "settle" ? closing.amountNanos : 0n);
    return closing;
  }

  /**
   * A process that was written off is back: the difference between a charge in its journal and the charge of the write-off is an adjustment.
   * Its reference is unique, and the account may go below zero by it.
   */
  #bookLate(received: ProcessChange): readonly CreditEntry[] {
    const change = received.kind === "direct" ? received.settled?.entry : received.kind === "confirmed" ? received.entry : received;
    if (change?.kind !== "settle" && change?.kind !== "release") return [];
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

  #openHoldsOf(instanceId: string): HoldEntry[] {
    const own = [...this.#holders].filter(([, holder]) => holder === instanceId);
    return own.map(([requestId]) => this.#options.books.open.get(requestId)!);
  }

  #noteHold(instanceId: string, hold: HoldEntry): void {
    this.#holders.set(hold.requestId, instanceId);
    this.balances.addHold(hold);
  }
}

/** The request whose hold a change ends for sure; undefined for any other change. */
function closedBy(change: ProcessChange): string | undefined {
  if (change.kind === "direct") return change.settled && change.requestId;
  return change.kind === "settle" || change.kind === "release" ? change.requestId : undefined;
}

function least(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}
