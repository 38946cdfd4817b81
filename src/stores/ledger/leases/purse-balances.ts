import type { HoldEntry } from "../../../money/ledger-entry.ts";
import { NO_CREDIT_LINE, spendable } from "../../../money/credit-line.ts";
import { carriedAt } from "../../../money/headroom.ts";
import { CAP_PERIODS } from "../../../money/limits.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Books } from "../books/books.ts";
import { pursesOf } from "./changed-purses.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import type { CapsOf, PurseState, Lease } from "./purse-state.ts";

/**
 * The part of each purse that can still be leased: its credit and spend caps, minus the leases of processes and the holds of the
 * authority's own process.
 */
export class PurseBalances {
  readonly leases = new LeaseTable();
  readonly #books: Books;
  readonly #capsOf: CapsOf;
  readonly #isLost: (instanceId: string) => boolean;
  readonly #nowMs: () => number;
  readonly #heldByProcesses = new Map<PurseKey, Nanos>();

  constructor(books: Books, capsOf: CapsOf, isLost: (instanceId: string) => boolean, nowMs: () => number) {
    this.#books = books;
    this.#capsOf = capsOf;
    this.#isLost = isLost;
    this.#nowMs = nowMs;
  }

  /**
   * The amount that can be leased. Below zero if a cap or a credit line was lowered, or the account is in debt. Undefined if nothing limits
   * the purse.
   */
  freeOf(purse: Purse): Nanos | undefined {
    const nowMs = this.#nowMs();
    const spending = this.#books.spendingOf(purse.scope, purse.id, nowMs);
    const caps = this.#capsOf(purse);
    const amounts = purse.scope === "account" ? [this.#spendableOf(purse)] : [];
    for (const period of CAP_PERIODS) {
      const cap = caps[`${period}Nanos`];
      if (cap !== null) amounts.push(cap - spending[`${period}Nanos`] - carriedAt(caps, period, nowMs));
    }
    return amounts.length === 0 ? undefined : amounts.reduce(least) - this.#reserved(purse);
  }

  /**
   * Whether a cost above its hold may overdraw the purse. Spend caps do not limit such a cost, and an account never owes more than its
   * credit line and the excess of one request.
   */
  mayOverdraw(purse: Purse): boolean {
    return purse.scope !== "account" || this.#spendableOf(purse) - this.#reserved(purse) >= 0n;
  }

  /** The state of a purse, for the process with this id. */
  stateOf(purse: Purse, instanceId: string): PurseState {
    const atMs = this.#nowMs();
    const { dayNanos, monthNanos, totalNanos } = this.#books.spendingOf(purse.scope, purse.id, atMs);
    const leaseNanos = this.leases.of(instanceId, purse);
    const elsewhereNanos = this.#reserved(purse) - leaseNanos;
    const creditNanos = this.#creditOf(purse);
    return { purse, atMs, leaseNanos, elsewhereNanos, isStranded: this.isStranded(purse), creditNanos, dayNanos, monthNanos, totalNanos };
  }

  /** Whether a process that is away has a lease of the purse. */
  isStranded(purse: Purse): boolean {
    return this.leases.holdersOf(purse).some(this.#isLost);
  }

  /** A process holds an amount for a request, within its leases. */
  addHold(hold: HoldEntry): void {
    for (const purse of pursesOf(hold)) this.#addHeld(purse, hold.amountNanos);
  }

  /**
   * The hold of a process has ended with a charge. The charge lowers credit and lease by the same amount, so the free amount does not
   * change.
   */
  endHold(instanceId: string, hold: HoldEntry, chargeNanos: Nanos): void {
    for (const purse of pursesOf(hold)) {
      this.#addHeld(purse, -hold.amountNanos);
      const lease = this.leases.of(instanceId, purse);
      if (lease > 0n) this.leases.set(instanceId, purse, lease > chargeNanos ? lease - chargeNanos : 0n);
    }
  }

  #creditOf({ scope, id }: Purse): Nanos {
    return scope === "account" ? this.#books.balanceOf(id).creditNanos : 0n;
  }

  /** The credit of an account, with its credit line. */
  #spendableOf(purse: Purse): Nanos {
    return spendable(this.#creditOf(purse), this.#capsOf(purse).creditLine ?? NO_CREDIT_LINE);
  }

  /** The reserved amount: leases, and the holds of the authority's own process, which takes from the free amount. */
  #reserved(purse: Purse): Nanos {
    const { heldNanos } = this.#books.spendingOf(purse.scope, purse.id, this.#nowMs());
    return this.leases.sumOf(purse) + heldNanos - (this.#heldByProcesses.get(purseKey(purse)) ?? 0n);
  }

  #addHeld(purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const held = (this.#heldByProcesses.get(key) ?? 0n) + nanos;
    if (held === 0n) this.#heldByProcesses.delete(key);
    else this.#heldByProcesses.set(key, held);
  }
}

export function least(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}

/** The leases of all processes, with the sum of each purse. */
class LeaseTable {
  readonly #byInstance = new Map<string, Map<PurseKey, Lease>>();
  readonly #sums = new Map<PurseKey, Nanos>();

  of(instanceId: string, purse: Purse): Nanos {
    return this.#byInstance.get(instanceId)?.get(purseKey(purse))?.nanos ?? 0n;
  }

  /** The leases of all processes on a purse. */
  sumOf(purse: Purse): Nanos {
    return this.#sums.get(purseKey(purse)) ?? 0n;
  }

  set(instanceId: string, purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const sum = this.sumOf(purse) + nanos - this.of(instanceId, purse);
    if (sum === 0n) this.#sums.delete(key);
    else this.#sums.set(key, sum);
    let own = this.#byInstance.get(instanceId);
    if (!own) this.#byInstance.set(instanceId, (own = new Map()));
    if (nanos === 0n) own.delete(key);
    else own.set(key, { purse, nanos });
  }

  /** The leases of a process. */
  ofInstance(instanceId: string): readonly Lease[] {
    return [...(this.#byInstance.get(instanceId)?.values() ?? [])];
  }

  /** The purses that are leased. */
  purses(): readonly Purse[] {
    return [...this.#byInstance.values()].flatMap((own) => [...own.values()].map(({ purse }) => purse));
  }

  /** The processes with a lease on a purse. */
  holdersOf(purse: Purse): readonly string[] {
    const key = purseKey(purse);
    return [...this.#byInstance].filter(([, own]) => own.has(key)).map(([instanceId]) => instanceId);
  }
}
