import type { CreditEntry, Entry, HoldEntry, SettleEntry } from "../../vocabulary/ledger-entry.ts";
import type { Nanos } from "../../vocabulary/money.ts";
import type { Balance, Spending } from "./ledger-store.ts";

export type Scope = "account" | "key";

/** What the entries of one account, or of one key, come to. */
export class Tally {
  readonly scope: Scope;
  readonly id: string;
  creditNanos: Nanos = 0n;
  heldNanos: Nanos = 0n;
  /** Days since 1970 and months since year 0, in UTC, that the two sums behind them are of. */
  day = 0;
  dayNanos: Nanos = 0n;
  month = 0;
  monthNanos: Nanos = 0n;
  totalNanos: Nanos = 0n;

  constructor(scope: Scope, id: string) {
    this.scope = scope;
    this.id = id;
  }

  spend(amount: Nanos, atMs: number): void {
    this.#turnTo(atMs);
    this.dayNanos += amount;
    this.monthNanos += amount;
    this.totalNanos += amount;
  }

  spendingAt(nowMs: number): Spending {
    this.#turnTo(nowMs);
    const { heldNanos, dayNanos, monthNanos, totalNanos } = this;
    return { heldNanos, dayNanos, monthNanos, totalNanos };
  }

  /**
   * A clock that is set back over midnight does not bring a day's spending back to zero twice; one that was wrong by more, and is
   * right again, begins anew.
   */
  #turnTo(nowMs: number): void {
    const day = Math.floor(nowMs / 86_400_000);
    if (day === this.day || day === this.day - 1) return;
    this.day = day;
    this.dayNanos = 0n;
    const date = new Date(nowMs);
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
    if (month === this.month) return;
    this.month = month;
    this.monthNanos = 0n;
  }
}

/**
 * The sums over all entries, kept up with each one that is added. This is all of the ledger's arithmetic; the auditor has its
 * own.
 */
export class Books {
  readonly tallies = { account: new Map<string, Tally>(), key: new Map<string, Tally>() };
  /** By request id, in the order they were made. */
  readonly open = new Map<string, HoldEntry>();
  /** Tallies that have changed since somebody last cleared this. */
  readonly changed = new Set<Tally>();
  lastId = 0;

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
  }

  unhold(requestId: string): void {
    const hold = this.open.get(requestId);
    if (!hold) return;
    this.open.delete(requestId);
    this.#tally("account", hold.accountId).heldNanos -= hold.amountNanos;
    this.#tally("key", hold.keyId).heldNanos -= hold.amountNanos;
  }

  #credit(entry: CreditEntry): void {
    const account = this.#tally("account", entry.accountId);
    account.creditNanos += entry.amountNanos;
    this.changed.add(account);
  }

  #charge(entry: SettleEntry): void {
    const account = this.#tally("account", entry.accountId);
    const key = this.#tally("key", entry.keyId);
    account.creditNanos -= entry.amountNanos;
    account.spend(entry.amountNanos, entry.atMs);
    key.spend(entry.amountNanos, entry.atMs);
    this.changed.add(account).add(key);
  }

  /**
   * What the account pays of a cost. A cost above its hold is an upstream's excess: it is charged, and may take the account
   * below zero; but not beyond the caller's own limit, nor while the account is in debt already, so that it never owes more
   * than one request's excess.
   */
  chargeFor(hold: HoldEntry, costNanos: Nanos, capNanos: Nanos | undefined): Nanos {
    if (costNanos <= hold.amountNanos) return costNanos;
    const { creditNanos, heldNanos } = this.balanceOf(hold.accountId);
    if (creditNanos - heldNanos < 0n) return hold.amountNanos;
    return capNanos !== undefined && capNanos < costNanos ? capNanos : costNanos;
  }

  balanceOf(accountId: string): Balance {
    return this.#tally("account", accountId);
  }

  spendingOf(scope: Scope, id: string, nowMs: number): Spending {
    return this.#tally(scope, id).spendingAt(nowMs);
  }

  #tally(scope: Scope, id: string): Tally {
    let tally = this.tallies[scope].get(id);
    if (!tally) this.tallies[scope].set(id, (tally = new Tally(scope, id)));
    return tally;
  }
}
