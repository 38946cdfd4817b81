import { spendable, type CreditLine } from "../../../money/credit-line.ts";
import type { CreditEntry, Entry, HoldEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Purse, PurseScope } from "../../../money/purse.ts";
import { Tally, type Spender, type Spending } from "../../../money/tally.ts";
import { BreakdownTallies } from "./breakdown-tallies.ts";
import { PastPeriodSpending, type ReadCharges } from "./past-period-spending.ts";
import type { LedgerBalances } from "../ledger-record-store.ts";
import type { Balance } from "../ledger-store.ts";

/**
 * The books: balances and spending over all entries, updated with each entry. Contains all of the ledger's arithmetic; only the auditor has
 * separate code.
 */
export class Books {
  readonly tallies = { account: new Map<string, Tally>(), key: new Map<string, Tally>() };
  /** The spending of end users and tags that have spend caps. */
  readonly breakdowns: BreakdownTallies;
  /** Open holds by request id, oldest first. */
  readonly open = new Map<string, HoldEntry>();
  /** Tallies that have changed since they were last written to the database. */
  readonly changed = new Set<Tally<PurseScope>>();
  #moved = new Set<Tally>();
  readonly #earlier: PastPeriodSpending;
  lastId = 0;

  constructor(readCharges: ReadCharges, breakdowns = new BreakdownTallies()) {
    this.#earlier = new PastPeriodSpending(readCharges);
    this.breakdowns = breakdowns;
  }

  /** Ids have no gaps. */
  get nextId(): number {
    return this.lastId + 1;
  }

  add(entry: Entry): void {
    this.lastId = entry.id;
    switch (entry.kind) {
      case "hold":
        return this.hold(entry);
      case "release":
        return this.unhold(entry.requestId);
      case "settle":
        this.unhold(entry.requestId);
        return this.#charge(entry);
      case "grant":
      case "adjustment":
        return this.#credit(entry);
    }
  }

  hold(hold: HoldEntry): void {
    this.open.set(hold.requestId, hold);
    this.#tally("account", hold.accountId).heldNanos += hold.amountNanos;
    this.#tally("key", hold.keyId).heldNanos += hold.amountNanos;
    if (hold.attribution?.counts) this.breakdowns.addHeld(hold, hold.amountNanos);
  }

  unhold(requestId: string): void {
    const hold = this.open.get(requestId);
    if (!hold) return;
    this.open.delete(requestId);
    this.#tally("account", hold.accountId).heldNanos -= hold.amountNanos;
    this.#tally("key", hold.keyId).heldNanos -= hold.amountNanos;
    if (hold.attribution?.counts) this.breakdowns.addHeld(hold, -hold.amountNanos);
  }

  /** The open holds of all accounts, and their sum. */
  get held(): { openHolds: number; heldNanos: Nanos } {
    let heldNanos = 0n;
    for (const { amountNanos } of this.open.values()) heldNanos += amountNanos;
    return { openHolds: this.open.size, heldNanos };
  }

  /** The tallies that have changed since the last call. */
  takeChangedSpenders(): readonly Tally[] {
    const moved = [...this.#moved];
    this.#moved = new Set();
    return moved;
  }

  #credit(entry: CreditEntry): void {
    const account = this.#tally("account", entry.accountId);
    account.creditNanos += entry.amountNanos;
    this.changed.add(account);
    this.#moved.add(account);
  }

  #charge(entry: SettleEntry): void {
    const account = this.#tally("account", entry.accountId);
    const key = this.#tally("key", entry.keyId);
    account.creditNanos -= entry.amountNanos;
    account.spend(entry.amountNanos, entry.atMs);
    key.spend(entry.amountNanos, entry.atMs);
    this.#earlier.add(entry, entry.atMs);
    this.changed.add(account).add(key);
    this.#moved.add(account).add(key);
    if (!this.breakdowns.isIdle) for (const tally of this.breakdowns.charge(entry)) this.changed.add(tally);
  }

  /**
   * The part of a cost that is charged. A cost above the hold is charged too, and may take the balance below the credit line. It is not
   * charged beyond the caller's own limit, and not while the balance is already below the credit line: an account never owes more than its
   * credit line and the excess of one request.
   */
  chargeFor(hold: HoldEntry, costNanos: Nanos, capNanos: Nanos | undefined, creditLine: CreditLine): Nanos {
    if (costNanos <= hold.amountNanos) return costNanos;
    const { creditNanos, heldNanos } = this.balanceOf(hold.accountId);
    if (spendable(creditNanos, creditLine) - heldNanos < 0n) return hold.amountNanos;
    return capNanos !== undefined && capNanos < costNanos ? capNanos : costNanos;
  }

  balanceOf(accountId: string): Balance {
    return this.#find("account", accountId);
  }

  /** All sums over the entries up to the last one. The sums of end users and tags are omitted, because not all of them are in memory. */
  balances(): Omit<LedgerBalances, "breakdowns"> {
    const { account, key } = this.tallies;
    const accounts = [...account].map(([id, { creditNanos, heldNanos, totalNanos }]) => {
      return [id, { creditNanos, heldNanos, spentNanos: totalNanos }] as const;
    });
    const spentByKey = [...key].map(([id, { totalNanos }]) => [id, totalNanos] as const);
    return { asOfId: this.lastId, accounts: new Map(accounts), spentByKey: new Map(spentByKey) };
  }

  spendingOf(scope: PurseScope, id: string, nowMs: number): Spending {
    if (scope === "account" || scope === "key") return this.#find(scope, id).spendingAt(nowMs, this.#earlier);
    return this.breakdowns.spendingAt({ scope, id }, nowMs);
  }

  /** Counts the spending of these end users and tags, including their spending so far. Undefined if it is already counted. */
  ensureCounted(purses: readonly Purse[]): Promise<void> | undefined {
    return this.breakdowns.ensureCounted(purses, (tally) => this.changed.add(tally));
  }

  /** Loads the tally of a purse. */
  load(tally: Tally<PurseScope>): void {
    if (isSpender(tally)) this.tallies[tally.scope].set(tally.id, tally);
    else this.breakdowns.load(tally);
  }

  /** The tally of a purse, if it is in memory. */
  tallyOf({ scope, id }: Purse): Tally<PurseScope> | undefined {
    return scope === "account" || scope === "key" ? this.tallies[scope].get(id) : this.breakdowns.get({ scope, id });
  }

  /** A read creates no tally: most of 100,000 keys may never be used. */
  #find(scope: Spender, id: string): Tally {
    return this.tallies[scope].get(id) ?? new Tally(scope, id);
  }

  #tally(scope: Spender, id: string): Tally {
    let tally = this.tallies[scope].get(id);
    if (!tally) this.tallies[scope].set(id, (tally = new Tally(scope, id)));
    return tally;
  }
}

function isSpender(tally: Tally<PurseScope>): tally is Tally {
  return tally.scope === "account" || tally.scope === "key";
}
