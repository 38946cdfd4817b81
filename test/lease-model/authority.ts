import type { PurseTerms } from "../../src/money/credit-line.ts";
import { NO_CAPS } from "../../src/money/limits.ts";
import type { CreditEntry, Entry, HoldEntry } from "../../src/money/ledger-entry.ts";
import { BreakdownTallies } from "../../src/stores/ledger/books/breakdown-tallies.ts";
import { CountedBreakdowns } from "../../src/stores/ledger/books/counted-breakdowns.ts";
import { Books } from "../../src/stores/ledger/books/books.ts";
import { AuthorityBooks, type AppliedChanges } from "../../src/stores/ledger/leases/authority-books.ts";
import type { JoinReply } from "../../src/stores/ledger/leases/authority.ts";
import type { Instance } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import type { Purse } from "../../src/money/purse.ts";
import type { Balance, Progress } from "../../src/stores/ledger/ledger-store.ts";
import { UNIT } from "../ledger-model/accounts-and-keys.ts";
import type { ModelledAuthority } from "./modelled-authority.ts";

/** The database after a transaction. */
interface Snapshot {
  readonly entries: number;
  readonly instances: readonly Instance[];
  readonly holders: ReadonlyMap<string, string>;
}

/**
 * The authority over a database in memory: every operation is one transaction. The database has entries and instances; leases and the
 * processes of open holds are only in memory, and the processes report them after a start.
 */
export class ModelAuthority implements ModelledAuthority {
  books!: Books;
  core!: AuthorityBooks;
  entries: Entry[] = [];
  nowMs = Date.parse("2027-03-10T12:00:00Z");
  readonly caps = initialCaps();
  readonly progress = new Map<string, Progress>();
  /** The real processes of open holds: the authority forgets them with each start. */
  #holders = new Map<string, string>();
  #instanceIds = new Set<string>();
  #history: Snapshot[] = [];

  constructor() {
    this.#open({ entries: 0, instances: [], holders: new Map() });
    this.start();
  }

  join(instanceId: string): JoinReply {
    this.#instanceIds.add(instanceId);
    const joined = this.core.join(instanceId);
    this.#commit([], instanceId);
    return joined;
  }

  apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): AppliedChanges {
    const applied = this.core.apply(instanceId, epoch, changes);
    this.#commit(applied.entries, instanceId);
    return applied;
  }

  end(instanceId: string, state: "closed" | "written_off"): void {
    this.#commit(this.core.end(instanceId, state), instanceId);
  }

  lose(instanceId: string): void {
    this.core.lose(instanceId);
    this.#commit([], instanceId);
  }

  credit(accountId: string, amountNanos: bigint): void {
    const id = this.books.nextId;
    const entry: CreditEntry = {
      kind: amountNanos < 0n ? "adjustment" : "grant",
      id,
      accountId,
      amountNanos,
      atMs: this.nowMs,
      actor: "operator",
      reason: "",
      reference: `credit ${id}`,
    };
    this.books.add(entry);
    this.#commit([entry], undefined);
  }

  /** Adds an entry of the authority's own process. */
  addOwn(entry: Entry): void {
    this.books.add(entry);
    this.#commit([entry], undefined);
  }

  find(instanceId: string): Readonly<Instance> | undefined {
    return this.core.find(instanceId);
  }

  isUnstated(instanceId: string): boolean {
    return this.core.unstated.includes(instanceId);
  }

  freeOf(purse: Purse): bigint | undefined {
    return this.core.balances.freeOf(purse);
  }

  leaseOf(instanceId: string, purse: Purse): bigint {
    return this.core.balances.leases.of(instanceId, purse);
  }

  leasedOf(purse: Purse): bigint {
    return this.core.balances.leases.sumOf(purse);
  }

  balanceOf(accountId: string): Balance {
    return this.books.balanceOf(accountId);
  }

  get openHolds(): number {
    return this.books.open.size;
  }

  /** The owner process is killed: its memory is lost, and the next owner process reads the database. `start` follows. */
  restart(): void {
    this.#open(this.#snapshot());
  }

  /** Applies the journals of ended processes. */
  start(): void {
    this.#commit(this.core.start(), undefined);
  }

  /** Restores the database to an earlier time. */
  restore(back: number): void {
    const kept = Math.max(1, this.#history.length - back);
    this.#history.length = Math.min(this.#history.length, kept);
    const snapshot = this.#history.at(-1);
    if (!snapshot) return;
    this.entries.length = snapshot.entries;
    this.#open(snapshot);
  }

  #open({ instances, holders }: Snapshot): void {
    const counted = new CountedBreakdowns();
    counted.add({ owner: "account", ownerId: "b", by: "user" });
    this.books = new Books(function* () {}, new BreakdownTallies(undefined, counted));
    for (const entry of this.entries) this.books.add(entry);
    this.#holders = new Map(holders);
    this.#instanceIds = new Set(instances.map(({ id }) => id));
    this.core = new AuthorityBooks({
      books: this.books,
      add: (entry) => this.books.add(entry),
      capsOf: ({ scope, id }) => this.caps[`${scope}:${id}`]!,
      chargeOf: (requestId) => {
        let charge: bigint | undefined;
        for (const entry of this.entries) {
          if (entry.kind === "settle" && [requestId, `late:${requestId}`].includes(entry.requestId))
            charge = (charge ?? 0n) + entry.amountNanos;
          else if (entry.kind === "adjustment" && entry.reference === `late:${requestId}`) charge = (charge ?? 0n) - entry.amountNanos;
        }
        return charge;
      },
      isSilent: () => false,
      progress: () => this.progress,
      nowMs: () => this.nowMs,
    });
    for (const instance of instances) this.core.load({ ...instance });
  }

  #commit(entries: readonly Entry[], instanceId: string | undefined): void {
    for (const entry of entries) {
      if (entry.id !== this.entries.length + 1) throw new Error(`entry ${entry.id} follows ${this.entries.length}`);
      this.entries.push(entry);
      if (entry.kind === "hold" && instanceId !== undefined) this.#holders.set(entry.requestId, instanceId);
      else if (entry.kind === "settle" || entry.kind === "release") this.#holders.delete(entry.requestId);
    }
    this.#history.push(this.#snapshot());
    if (this.#history.length > 8) this.#history.shift();
  }

  #snapshot(): Snapshot {
    const instances = [...this.#instanceIds].map((id) => ({ ...this.core.find(id)! }));
    return { entries: this.entries.length, instances, holders: new Map(this.#holders) };
  }

  /** The open holds of the authority's own process. */
  ownHolds(): HoldEntry[] {
    return [...this.books.open.values()].filter(({ requestId }) => !this.#holders.has(requestId));
  }
}

/** The spend caps of the keys and accounts in histories. */
export function initialCaps(): Record<string, PurseTerms> {
  return {
    "key:a1": NO_CAPS,
    "key:a2": { ...NO_CAPS, totalNanos: 100n * UNIT },
    "key:b1": { ...NO_CAPS, dayNanos: 70n * UNIT },
    "account:a": NO_CAPS,
    "account:b": { ...NO_CAPS, monthNanos: 300n * UNIT },
    "user:account:b:u": { ...NO_CAPS, dayNanos: 60n * UNIT },
  };
}
