import type { Entry, HoldEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { PeriodSums } from "../../../money/period-sums.ts";
import { type Purse, purseKey, type PurseKey, type PurseScope } from "../../../money/purse.ts";
import { Tally } from "../../../money/tally.ts";
import { Books } from "../books/books.ts";
import { BreakdownTallies } from "../books/breakdown-tallies.ts";
import { capsOfCounted } from "../books/counted-breakdowns.ts";
import type { ReadCharges } from "../books/past-period-spending.ts";
import { AuthorityBooks } from "../leases/authority-books.ts";
import { chargedPurses } from "./charged-purses.ts";
import { lateChargeIn } from "../leases/late-adjustment.ts";
import type { Instance } from "../leases/instance.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import type { Progress } from "../ledger-store.ts";
import type { KnownBreakdowns } from "./known-breakdowns.ts";
import type { PurseRow } from "./locked-purses.ts";

/** New entries have temporary ids from here on, below every id of the ledger, until they get the ids after the head of the ledger. */
export const BEFORE_FIRST_ID = -(2 ** 40);
/** Represents the leases of all other processes on a purse as one lease, if none of these processes is away. */
const ELSEWHERE = "elsewhere";
const AWAY = "away";

/** The part of the ledger that a transaction has read under its locks. */
interface LoadedState {
  readonly nowMs: number;
  readonly instance: Instance;
  readonly purses: readonly PurseRow[];
  /** The other live processes, which share the free credit. */
  readonly others?: readonly string[];
  /** Open holds of the instance. */
  readonly holds?: readonly HoldEntry[];
  readonly progress?: ReadonlyMap<string, Progress>;
  /** The charges for requests of a process that was written off. */
  readonly charges?: ReadonlyMap<string, Nanos>;
  readonly readCharges?: ReadCharges;
  readonly breakdowns: KnownBreakdowns;
}

const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map();

/**
 * The part of the ledger that a transaction has locked, with the arithmetic of `AuthorityBooks` over it: the purses that a process changes,
 * its leases, the sum of the other processes' leases, and its open holds.
 */
export class WorkingSet {
  readonly core: AuthorityBooks;
  readonly books: Books;
  readonly instanceId: string;
  /** The entries may only be added with this version of the list of counted breakdowns. */
  readonly breakdownsVersion: bigint;
  readonly #rows = new Map<PurseKey, PurseRow>();
  /** Charges, including the late adjustments of this set: a shipment may have two changes about one charge. */
  readonly #charges: Map<string, Nanos>;

  constructor(state: LoadedState, capsOf: CapsOf) {
    const { instance, nowMs, progress = NO_PROGRESS } = state;
    const breakdowns = new BreakdownTallies(undefined, state.breakdowns.counted);
    const books = new Books(state.readCharges ?? (() => []), breakdowns);
    books.lastId = BEFORE_FIRST_ID;
    this.books = books;
    this.instanceId = instance.id;
    this.breakdownsVersion = state.breakdowns.version;
    this.#charges = new Map(state.charges);
    this.core = new AuthorityBooks({
      books,
      add: (entry) => this.#add(entry),
      capsOf: capsOfCounted(capsOf, state.breakdowns.counted),
      chargeOf: (requestId) => this.#charges.get(requestId),
      progress: () => progress,
      isSilent: (instanceId) => instanceId === AWAY,
      nowMs: () => nowMs,
    });
    for (const row of state.purses) this.#load(row);
    for (const id of state.others ?? []) this.core.loadStated({ id, epoch: 0, appliedSeq: 0, state: "live" });
    this.core.loadStated(instance);
    for (const hold of state.holds ?? []) this.core.loadHold(instance.id, hold);
    this.core.start();
  }

  get rows(): Iterable<PurseRow> {
    return this.#rows.values();
  }

  /** The current lease of the process. */
  ownLeaseOf(purse: Purse): Nanos {
    return this.core.balances.leases.of(this.instanceId, purse);
  }

  /** The leases of all processes. */
  leasedOf(purse: Purse): Nanos {
    return this.core.balances.leases.sumOf(purse);
  }

  tallyOf(purse: Purse): Tally<PurseScope> {
    return this.books.tallyOf(purse)!;
  }

  #load(row: PurseRow): void {
    this.#rows.set(purseKey(row), row);
    this.books.load(toTally(row));
    const { leases } = this.core.balances;
    leases.set(this.instanceId, row, row.caller_lease_nanos);
    leases.set(row.is_stranded ? AWAY : ELSEWHERE, row, row.leased_nanos - row.caller_lease_nanos);
  }

  #add(entry: Entry): void {
    // A charge of a purse that is not locked would be computed from an empty tally.
    if (entry.kind !== "hold" && entry.kind !== "release") {
      for (const purse of chargedPurses(entry, this.books.breakdowns.counted)) {
        if (!this.#rows.has(purseKey(purse))) throw new Error(`${purseKey(purse)} is not locked`);
      }
    }
    this.books.add(entry);
    const late = lateChargeIn(entry);
    if (late) this.#charges.set(late.requestId, (this.#charges.get(late.requestId) ?? 0n) + late.nanos);
  }
}

function toTally(row: PurseRow): Tally<PurseScope> {
  const days = new PeriodSums(row.day, row.day_nanos, row.previous_day, row.previous_day_nanos);
  const months = new PeriodSums(row.month, row.month_nanos, row.previous_month, row.previous_month_nanos);
  const tally = new Tally(row.scope, row.id, days, months);
  tally.creditNanos = row.credit_nanos;
  tally.totalNanos = row.total_nanos;
  return tally;
}
