import { isOfBreakdown, isOwnedBy } from "../../../money/breakdown.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import { capsOfCounted } from "../books/counted-breakdowns.ts";
import { withBusyTimeout } from "../commit/busy-timeout.ts";
import type { EmbeddedLedgerStore } from "../embedded-ledger-store.ts";
import type { LedgerDatabase } from "../ledger-database.ts";
import type { IdempotentReply } from "../ledger-store.ts";
import { InstanceTable } from "../tables/instance-table.ts";
import type { Authority, JoinReply, Shipment, ShipmentReply } from "./authority.ts";
import { authorityAway } from "../../../requests/authority-away.ts";
import { AuthorityBooks } from "./authority-books.ts";
import { pursesOf, returnedIn } from "./changed-purses.ts";
import type { CreditLeases } from "./credit-leases.ts";
import type { Instance, InstanceState } from "./instance.ts";
import type { ProcessChange } from "./process-change.ts";
import type { CapsOf, Lease, PurseState } from "./purse-state.ts";
import { Recalls, type ProcessListener } from "./recalls.ts";

/** For a purse without a limit: more than any credit. */
const UNLIMITED: Nanos = 2n ** 62n;

/** A gateway process, as operators see it. */
interface InstanceReport {
  readonly id: string;
  readonly state: InstanceState;
  readonly leases: readonly Lease[];
  readonly openHolds: number;
}

/**
 * The authority over credit in the process that has the embedded ledger. The entries of a shipment, its idempotent replies and the number
 * of its last change are written in one transaction, and the reply is sent when that is durable: a process forgets changes once it has a
 * reply for them. Shipped entries do not go to the owner's journal, because the process's journal has them.
 *
 * The number is written with every shipment that has new changes, even if these are only lease changes. It must never be behind a reply:
 * otherwise the process would be asked for changes that it has forgotten, and whose place in its journal it has reused.
 */
export class EmbeddedAuthority implements Authority, CreditLeases {
  readonly #ledger: EmbeddedLedgerStore;
  readonly #database: LedgerDatabase;
  readonly #books: AuthorityBooks;
  readonly #instances: InstanceTable;
  readonly #recalls = new Recalls();
  readonly #short = new ShortPurses();

  /** Call `start` next, when the journals of ended processes are applied. The ledger must have been opened as shared. */
  constructor(ledger: EmbeddedLedgerStore, capsOf: CapsOf) {
    const { database } = ledger;
    this.#ledger = ledger;
    this.#database = database;
    this.#instances = new InstanceTable(database.file);
    this.#books = new AuthorityBooks({
      books: database.books,
      add: (entry) => this.#add(entry),
      capsOf: capsOfCounted(capsOf, database.books.breakdowns.counted),
      chargeOf: (requestId) => this.#chargeOf(requestId),
      progress: () => database.progress.reported,
      isSilent: (instanceId) => this.#recalls.isSilent(instanceId),
      nowMs: database.nowMs,
    });
    for (const instance of this.#instances.all()) this.#books.load(instance);
  }

  /**
   * Starts with the processes that have outlived the previous owner. Until they have stated their leases and open holds, or have ended,
   * nothing is leased and no earlier hold is closed. Afterwards the holds that no process has stated are closed as orphans.
   */
  start(survivors: readonly string[]): void {
    this.#books.start(survivors);
    withBusyTimeout(this.#database.file, () => this.#database.flush());
  }

  /** Whether all survivors have stated their leases, so that credit is leased. */
  get isLeasing(): boolean {
    return this.#books.isLeasing;
  }

  /** The survivors that have not stated their leases. */
  get unstated(): readonly string[] {
    return this.#books.unstated;
  }

  find(instanceId: string): Readonly<Instance> | undefined {
    return this.#books.find(instanceId);
  }

  /** The requests, of these, that are in the ledger and whose hold is closed. */
  endedAmong(requestIds: readonly string[]): ReadonlySet<string> {
    return new Set(requestIds.filter((requestId) => this.#database.requests.hasEnded(requestId)));
  }

  /** All processes that have not ended. */
  instances(): readonly InstanceReport[] {
    const open = [...this.#books.instances].filter(({ state }) => state !== "closed");
    return open.map(({ id, state }) => {
      return { id, state, leases: this.#books.balances.leases.ofInstance(id), openHolds: this.#books.openCountOf(id) };
    });
  }

  async join(instanceId: string): Promise<JoinReply> {
    const joined = this.#books.join(instanceId);
    this.#writeState(instanceId);
    // Awaited even if all changes came over an earlier connection: the process forgets changes up to the number in the reply.
    await this.#durable();
    return joined;
  }

  async ship({ instanceId, epoch, changes, progress }: Shipment): Promise<ShipmentReply> {
    const instance = this.#books.find(instanceId);
    // Written first, so that no entry goes to the owner's journal.
    if (instance && changes.length > 0 && changes.at(-1)!.id > instance.appliedSeq) this.#writeState(instanceId);
    const { entries, replies, ...shipped } = this.#books.apply(instanceId, epoch, changes);
    for (const reply of replies) this.#database.commit.addWrite(() => this.#database.replies.write(reply));
    for (const [requestId, reported] of progress) {
      if (this.#database.books.open.has(requestId)) this.#database.progress.report(requestId, reported);
    }
    this.#noteShortages(instanceId, changes, shipped.purses);
    if (!this.#short.isEmpty) this.#notifyFreed([...entries.flatMap(pursesOf), ...returnedIn(changes)]);
    await this.#durable();
    return shipped;
  }

  async ensureCounted(purses: readonly Purse[]): Promise<void> {
    await this.#database.ensureCounted(purses);
  }

  recall(instanceId: string, purses: readonly Purse[]): Promise<void> {
    return this.#recall(purses, instanceId);
  }

  findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    return this.#ledger.findReply(scope, nowMs);
  }

  /** Registers the connection of a process, which can be called from now on. */
  connect(instanceId: string, listener: ProcessListener): void {
    this.#recalls.connect(instanceId, listener);
  }

  /** The connection of a process has ended. Its leases stay until it connects again or its journal is applied. */
  lose(instanceId: string): void {
    this.#recalls.disconnect(instanceId);
    this.#books.lose(instanceId);
  }

  /** The journal of an ended process is applied: closes its open holds, and returns its leases. */
  async end(instanceId: string): Promise<void> {
    this.#recalls.disconnect(instanceId);
    const purses = this.#books.balances.leases.ofInstance(instanceId).map(({ purse }) => purse);
    this.#writeState(instanceId);
    const entries = this.#books.end(instanceId, "closed");
    if (!this.#short.isEmpty) this.#notifyFreed([...entries.flatMap(pursesOf), ...purses]);
    await this.#durable();
  }

  /** The folder of an ended process is removed, so its id cannot come back. */
  async forget(instanceId: string): Promise<void> {
    this.#books.forget(instanceId);
    this.#database.commit.addWrite(() => this.#instances.delete(instanceId));
    await this.#durable();
  }

  /** Forgets all ended processes. None of them may have a folder. */
  async forgetClosed(): Promise<void> {
    const closed = [...this.#books.instances].filter(({ state }) => state === "closed");
    for (const { id } of closed) await this.forget(id);
  }

  availableOf(purse: Purse): Nanos {
    return this.#books.availableOf(purse) ?? UNLIMITED;
  }

  async widen(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    if (!this.isLeasing) throw authorityAway("gateway processes have yet to state their leases");
    const isShort = (purse: Purse): boolean => this.availableOf(purse) < nanos;
    await this.recallAll(purses.filter(isShort));
    const { balances } = this.#books;
    if (purses.some((purse) => isShort(purse) && balances.isStranded(purse)))
      throw authorityAway("a gateway process with leased credit does not answer");
  }

  mayOverdraw(accountId: string): boolean {
    return this.isLeasing && this.#books.balances.mayOverdraw({ scope: "account", id: accountId });
  }

  recallAll(purses: readonly Purse[]): Promise<void> {
    return this.#recall(purses, undefined);
  }

  /**
   * The spend caps of these accounts or keys, or of their end users or tags, have changed. Resolves when processes have returned unused
   * credit of the purses with a lower cap.
   */
  async capsChanged(purses: readonly Purse[]): Promise<void> {
    const ofBreakdowns = this.#books.balances.leases.purses().filter((purse) => purses.some((owner) => isOwnedBy(purse, owner)));
    await this.recallAll([...purses, ...ofBreakdowns].filter((purse) => this.availableOf(purse) < 0n));
    this.#notifyFreed(purses);
  }

  noteOwn(entry: Entry): void {
    if (!this.#short.isEmpty) this.#notifyFreed(pursesOf(entry));
  }

  #recall(purses: readonly Purse[], except: string | undefined): Promise<void> {
    const { leases } = this.#books.balances;
    return this.#recalls.recall(
      purses.flatMap((purse) => {
        const holders = leases.holdersOf(purse).filter((instanceId) => instanceId !== except);
        return holders.map((instanceId) => ({ instanceId, purse }));
      }),
    );
  }

  #noteShortages(instanceId: string, changes: readonly ProcessChange[], purses: readonly PurseState[]): void {
    if (purses.length === 0) return;
    for (const change of changes) {
      // An end user with nothing left is asked for once a second instead: remembering every such end user would take memory for each.
      if (change.kind !== "lease" || change.bound !== "at_least" || isOfBreakdown(change.purse)) continue;
      if (this.#books.balances.leases.of(instanceId, change.purse) < change.nanos) this.#short.add(change.purse, instanceId);
    }
  }

  /**
   * Notifies processes that got less than they asked for. They ask again if the purse has credit, or if nothing of it is leased, because
   * their figures are then out of date.
   */
  #notifyFreed(purses: readonly Purse[]): void {
    for (const purse of purses) {
      if (!this.#short.has(purse)) continue;
      if (this.availableOf(purse) <= 0n && this.#books.balances.leases.sumOf(purse) > 0n) continue;
      for (const instanceId of this.#short.take(purse)) this.#recalls.onCreditAvailable(instanceId, purse);
    }
  }

  #add(entry: Entry): void {
    const { books, commit, requests } = this.#database;
    books.add(entry);
    if (entry.kind === "hold") requests.held(entry.requestId);
    else if (entry.kind === "settle" || entry.kind === "release") this.#database.forget(entry.requestId);
    commit.add(entry);
  }

  /** Writes the state of an instance with the next transaction, as it is at that time. */
  #writeState(instanceId: string): void {
    const { commit, nowMs } = this.#database;
    commit.addWrite(() => {
      // The instance may have been forgotten since. An error here would block every later transaction.
      const instance = this.#books.find(instanceId);
      if (instance) this.#instances.write(instance, nowMs());
    });
  }

  async #durable(): Promise<void> {
    const { commit } = this.#database;
    if (!commit.isDurable) await commit.durable();
  }

  #chargeOf(requestId: string): Nanos | undefined {
    const { entries } = this.#database;
    const { hold, closing } = entries.findClosed(requestId) ?? {};
    const late = entries.findClosed(`late:${requestId}`)?.closing;
    const correction = hold && entries.findCredit(hold.accountId, `late:${requestId}`);
    const charges = [closing, late].flatMap((entry) => (entry?.kind === "settle" ? entry.amountNanos : []));
    if (correction) charges.push(-correction.amountNanos);
    return charges.length === 0 ? undefined : charges.reduce((sum, nanos) => sum + nanos);
  }
}

/** The purses that had less than a process asked for, with the processes: they are notified when the purse has credit again. */
class ShortPurses {
  readonly #short = new Map<PurseKey, Set<string>>();

  get isEmpty(): boolean {
    return this.#short.size === 0;
  }

  add(purse: Purse, instanceId: string): void {
    const key = purseKey(purse);
    const known = this.#short.get(key);
    if (known) known.add(instanceId);
    else this.#short.set(key, new Set([instanceId]));
  }

  has(purse: Purse): boolean {
    return this.#short.has(purseKey(purse));
  }

  /** Returns and forgets the processes that asked for this purse. */
  take(purse: Purse): readonly string[] {
    const key = purseKey(purse);
    const instanceIds = [...(this.#short.get(key) ?? [])];
    this.#short.delete(key);
    return instanceIds;
  }
}
