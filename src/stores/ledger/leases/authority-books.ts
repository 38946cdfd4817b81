import type { Entry, EntryOfRequest, HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { closeOrphans } from "../books/close-orphans.ts";
import { makeRelease, makeSettlement } from "../books/closing-entries.ts";
import type { IdempotentReply, Progress } from "../ledger-store.ts";
import type { JoinReply, ShipmentReply } from "./authority.ts";
import { FencedError, type Instance, SequenceGapError } from "./instance.ts";
import { endIn, makeLateEntries } from "./late-adjustment.ts";
import { repliesIn, type LeaseChange, type LeaseStatement, type ProcessChange } from "./process-change.ts";
import { least, PurseBalances } from "./purse-balances.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import type { Books } from "../books/books.ts";
import type { CapsOf } from "./purse-state.ts";

/**
 * A widened lease gets at least the free credit divided by this number and by the number of processes, so that few requests need a round
 * trip.
 */
const SHARES_PER_PROCESS = 4n;

/** The result of applying a batch of changes. */
export interface AppliedChanges extends ShipmentReply {
  /** The new entries of the ledger, including the entries that close orphaned holds. */
  readonly entries: readonly Entry[];
  /** The idempotent replies of these entries. */
  readonly replies: readonly IdempotentReply[];
}

/**
 * The authority's arithmetic: how much of each purse each process has leased, and the entries that processes report. The sum of the leases
 * of a purse never exceeds its credit and spend caps, so processes that spend only from their leases cannot overspend together. All state
 * is in memory; the caller writes entries and instances in one transaction before it replies.
 */
export class AuthorityBooks {
  readonly balances: PurseBalances;
  readonly #options: AuthorityOptions;
  readonly #instances = new Map<string, Instance>();
  /** The process of each open hold. Holds of the authority's own process are not in the map. */
  readonly #holders = new Map<string, string>();
  /** After a start of the authority: the processes that have not stated their leases and open holds yet. */
  readonly #unstated = new Set<string>();
  /**
   * After a start: the open holds that no process has claimed. Once all processes have stated their holds, the unclaimed ones are orphans.
   */
  readonly #unclaimed: Set<string>;
  #isStarted = false;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    this.balances = new PurseBalances(
      options.books,
      options.capsOf,
      (id) => this.find(id)?.state === "lost" || options.isSilent(id),
      options.nowMs,
    );
    this.#unclaimed = new Set(options.books.open.keys());
  }

  /**
   * Loads an instance at startup. Leases and the processes of open holds are not stored: each process that has not ended states its own,
   * and nothing is leased before all processes have done so.
   */
  load(instance: Instance): void {
    this.#instances.set(instance.id, instance);
    if (instance.state === "live" || instance.state === "lost") this.#unstated.add(instance.id);
  }

  /** Loads an instance whose leases and open holds are stored, and are loaded too. */
  loadStated(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  /** Loads an open hold of a process. */
  loadHold(instanceId: string, hold: HoldEntry): void {
    this.#options.books.hold(hold);
    this.#noteHold(instanceId, hold);
  }

  /**
   * Call this when all instances are loaded, and the journals of ended processes are applied. `survivors` have not stated their leases yet.
   * Returns the entries that close orphaned holds, if the holds of all processes are known.
   */
  start(survivors: readonly string[] = []): readonly Entry[] {
    for (const instanceId of survivors) this.#unstated.add(instanceId);
    this.#isStarted = true;
    return this.#closeOrphans();
  }

  /** Connects a process, for the first time or again. Throws `FencedError` if its journal was applied and closed. */
  join(instanceId: string): JoinReply {
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

  /** Marks a process as lost: it has missed its heartbeats. Its leases stay. */
  lose(instanceId: string): void {
    const instance = this.#instances.get(instanceId);
    if (instance?.state === "live") instance.state = "lost";
  }

  /**
   * Applies the changes of a process that are not applied yet, in order. Throws `FencedError` for a process that may make no more changes,
   * and `SequenceGapError` if a change is missing; nothing is applied then.
   */
  apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): AppliedChanges {
    const instance = this.#instances.get(instanceId);
    if (!instance || instance.epoch !== epoch || instance.state === "closed") {
      throw new FencedError(`the process ${instanceId} has ended, or has connected again`);
    }
    refuseIncomplete(instance, changes, this.#options.books.open);
    if (instance.state === "lost") instance.state = "live";
    const entries: Entry[] = [];
    const replies: IdempotentReply[] = [];
    const purses = new Map<PurseKey, Purse>();
    for (const change of changes) {
      if (change.kind === "lease") purses.set(purseKey(change.purse), change.purse);
      if (change.id <= instance.appliedSeq) continue;
      const made = this.#applyChange(instance, change);
      entries.push(...made);
      instance.appliedSeq = change.id;
      replies.push(...repliesIn(change, made.length > 0));
    }
    entries.push(...this.#closeOrphans());
    const { state, appliedSeq } = instance;
    const states = [...purses.values()].map((purse) => this.balances.stateOf(purse, instanceId));
    return { state, isLeasing: this.isLeasing, appliedSeq, entries, replies, purses: states };
  }

  /**
   * Ends a process whose journal was applied (`closed`) or given up (`written_off`). Its open holds are charged for their last reported
   * progress, or released, and its leases return to their purses. After a start the process may not have stated its open holds: they are
   * then closed with the other orphans.
   */
  end(instanceId: string, state: "closed" | "written_off"): readonly Entry[] {
    const instance = this.#instances.get(instanceId)!;
    const hasEnded = instance.state === "closed" || instance.state === "written_off";
    instance.state = state;
    if (hasEnded) return [];
    const entries = this.#close(this.#openHoldsOf(instanceId), instanceId);
    for (const { purse } of this.balances.leases.ofInstance(instanceId)) this.balances.leases.set(instanceId, purse, 0n);
    this.#unstated.delete(instanceId);
    return [...entries, ...this.#closeOrphans()];
  }

  /** Forgets a process that has ended, and whose id cannot come back. */
  forget(instanceId: string): void {
    this.#instances.delete(instanceId);
  }

  /** Whether all processes have stated their leases. */
  get isLeasing(): boolean {
    return this.#isStarted && this.#unstated.size === 0;
  }

  /** The processes that have not stated their leases since the start. */
  get unstated(): readonly string[] {
    return [...this.#unstated];
  }

  get instances(): Iterable<Readonly<Instance>> {
    return this.#instances.values();
  }

  openCountOf(instanceId: string): number {
    let count = 0;
    for (const holder of this.#holders.values()) if (holder === instanceId) count++;
    return count;
  }

  /**
   * The amount that the process of the authority itself may hold: the whole free amount, or nothing until all processes have stated their
   * leases.
   */
  availableOf(purse: Purse): Nanos | undefined {
    return this.isLeasing ? this.balances.freeOf(purse) : 0n;
  }

  #applyChange(instance: Instance, change: ProcessChange): readonly Entry[] {
    if (instance.state === "written_off") return this.#bookLate(instance, change);
    if (change.kind === "direct") return change.settled ? [this.#book(instance, change.settled.entry)] : [];
    if (change.kind === "confirmed")
      return this.#options.books.open.has(change.entry.requestId) ? [this.#book(instance, change.entry)] : [];
    if (change.kind === "lease") this.#changeLease(instance, change);
    else if (change.kind === "statement") this.#adopt(instance, change);
    else return [this.#book(instance, change)];
    return [];
  }

  #changeLease({ id: instanceId }: Instance, { purse, bound, nanos }: LeaseChange): void {
    const lease = this.balances.leases.of(instanceId, purse);
    if (bound === "at_most") this.balances.leases.set(instanceId, purse, lease < nanos ? lease : nanos);
    else if (lease < nanos) this.balances.leases.set(instanceId, purse, lease + this.#grant(purse, nanos - lease, bound === "overdraw"));
  }

  #adopt({ id: instanceId }: Instance, { leases, openRequests }: LeaseStatement): void {
    if (!leases) return;
    for (const { purse } of this.balances.leases.ofInstance(instanceId)) this.balances.leases.set(instanceId, purse, 0n);
    for (const { purse, nanos } of leases) this.balances.leases.set(instanceId, purse, nanos);
    for (const requestId of openRequests ?? []) this.#claim(instanceId, requestId);
    this.#unstated.delete(instanceId);
  }

  /** Assigns a hold from before the start to this process. */
  #claim(instanceId: string, requestId: string): void {
    const hold = this.#options.books.open.get(requestId);
    if (hold && this.#unclaimed.delete(requestId)) this.#noteHold(instanceId, hold);
  }

  #grant(purse: Purse, missing: Nanos, mayOverdraw: boolean): Nanos {
    if (mayOverdraw && this.isLeasing && this.balances.mayOverdraw(purse)) return missing;
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
    const { add, books } = this.#options;
    if (entry.kind === "hold") {
      const hold = { ...entry, id: books.nextId };
      add(hold);
      this.#noteHold(instance.id, hold);
      return hold;
    }
    // The hold may be from before the start, and its process may not have stated it yet.
    this.#claim(instance.id, entry.requestId);
    return this.#bookEnd(entry, instance.id);
  }

  /** Books the end of a hold, of a process or without one. */
  #bookEnd(entry: SettleEntry | ReleaseEntry, instanceId: string | undefined): SettleEntry | ReleaseEntry {
    const { add, books } = this.#options;
    const hold = books.open.get(entry.requestId)!;
    const closing = { ...entry, id: books.nextId, holdId: hold.id };
    add(closing);
    this.#holders.delete(hold.requestId);
    if (instanceId !== undefined) this.balances.endHold(instanceId, hold, closing.kind === "settle" ? closing.amountNanos : 0n);
    return closing;
  }

  /** Charges the holds for their last progress, or releases them. */
  #close(holds: readonly HoldEntry[], instanceId: string | undefined): Entry[] {
    const entries: Entry[] = [];
    closeOrphans(holds, this.#options.progress(), this.#options.nowMs(), {
      settle: (hold, settlement) => {
        const amountNanos = least(settlement.costNanos, hold.amountNanos);
        entries.push(this.#bookEnd(makeSettlement(hold.id, hold, settlement, amountNanos), instanceId));
      },
      release: (hold, reason, atMs) => entries.push(this.#bookEnd(makeRelease(hold.id, hold, reason, atMs, []), instanceId)),
    });
    return entries;
  }

  /** Once all processes have stated their open holds, any other hold from before the start belongs to an ended process. */
  #closeOrphans(): readonly Entry[] {
    if (this.#unclaimed.size === 0 || !this.isLeasing) return [];
    const holds = [...this.#unclaimed].flatMap((requestId) => this.#options.books.open.get(requestId) ?? []);
    this.#unclaimed.clear();
    return this.#close(holds, undefined);
  }

  #bookLate(instance: Instance, change: ProcessChange): readonly Entry[] {
    const { add, books, chargeOf } = this.#options;
    const end = endIn(change);
    if (!end) return [];
    // The process was written off before it had stated its holds, and this hold is not closed yet.
    if (books.open.has(end.requestId)) return [this.#book(instance, end)];
    const entries = makeLateEntries(end, chargeOf, books.nextId);
    for (const entry of entries) add(entry);
    return entries;
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

/** The parts of the ledger and of the connections that `AuthorityBooks` needs. */
interface AuthorityOptions {
  /** The books of the whole ledger. */
  readonly books: Books;
  /** Adds an entry to the books. The caller writes all entries of a call in one transaction with the state of the instance. */
  readonly add: (entry: Entry) => void;
  readonly capsOf: CapsOf;
  /** The charge for a request, including its late adjustment; undefined if it is not in the ledger. */
  readonly chargeOf: (requestId: string) => Nanos | undefined;
  /** The last reported progress of responses in flight. */
  readonly progress: () => ReadonlyMap<string, Progress>;
  /** Whether a process is connected but does not answer. */
  readonly isSilent: (instanceId: string) => boolean;
  readonly nowMs: () => number;
}

/**
 * Checks a batch before any of it is applied: a batch is applied as a whole or not at all. Throws `SequenceGapError` if a change is
 * missing. Throws another error if a change ends a hold that is not open, or opens a hold twice: the second end of the hold could never be
 * written, and would block all later entries.
 */
function refuseIncomplete(
  { id: instanceId, appliedSeq, state }: Instance,
  changes: readonly ProcessChange[],
  open: ReadonlyMap<string, unknown>,
): void {
  let last = appliedSeq;
  const opened = new Set<string>();
  for (const change of changes) {
    if (change.id <= last) continue;
    if (change.id !== last + 1) {
      throw new SequenceGapError(`changes ${last + 1} to ${change.id - 1} of the process ${instanceId} are missing`);
    }
    last = change.id;
    // For a process that was written off, only changes of the credit are booked.
    if (state === "written_off") continue;
    if (change.kind === "hold") {
      if (opened.has(change.requestId) || open.has(change.requestId)) {
        throw new Error(`${change.requestId} of the process ${instanceId} has an open hold already`);
      }
      opened.add(change.requestId);
    }
    const closed = closedBy(change);
    if (closed === undefined || opened.delete(closed) || open.has(closed)) continue;
    throw new Error(`${closed} of the process ${instanceId} has no open hold`);
  }
}

/** The request whose hold a change always ends; undefined for any other change. */
function closedBy(change: ProcessChange): string | undefined {
  if (change.kind === "direct") return change.settled && change.requestId;
  return change.kind === "settle" || change.kind === "release" ? change.requestId : undefined;
}
