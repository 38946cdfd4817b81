import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import type { LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import { makeAccount, type Account } from "../../access/account.ts";
import type { SubjectFinding } from "./crossing.ts";
import { checkLowCredit } from "./watcher.ts";

/** An account that is checked after each of its changes, and the raised alerts. */
class CheckedAccount {
  creditNanos = 0n;
  totalNanos = 0n;
  lowCreditNanos: bigint | null = null;
  creditLine: Account["creditLine"] = 0n;
  marks = new Map<string, Mark>();
  readonly refused = new Map<"credit", bigint>();
  readonly alerts: unknown[] = [];

  move(nanos: bigint): void {
    this.creditNanos += nanos;
    if (nanos < 0n) this.totalNanos -= nanos;
  }

  /** A request is rejected because of credit. */
  refuse(): void {
    this.refused.set("credit", this.creditNanos);
  }

  /** One check. Its result is recorded, unless the write fails. */
  check(isWritten = true): void {
    const account: Account = { ...makeAccount("acme", "Acme", 1), lowCreditNanos: this.lowCreditNanos, creditLine: this.creditLine };
    const found = checkLowCredit(account, this.refused, this as unknown as LedgerRecordStore, this.marks, 5);
    if (!isWritten) return;
    for (const each of found) this.#write(each);
    this.refused.clear();
  }

  #write({ subject, mark, alert }: SubjectFinding): void {
    if (mark) this.marks.set(subject, mark);
    else this.marks.delete(subject);
    if (alert) this.alerts.push(alert.data);
  }

  balanceOf(): unknown {
    return this;
  }

  spendingOf(): unknown {
    return this;
  }
}

describe("credit.low", () => {
  test("is raised when the balance falls below the threshold, and again only after it was above", () => {
    const account = new CheckedAccount();
    account.lowCreditNanos = 5_000_000_000n;
    for (const move of [10n, -5n, -1n, -1n, 1n, 1n, -4n, 20n, -20n]) {
      account.move(move * 1_000_000_000n);
      account.check();
    }
    expect(account.alerts).toEqual(
      ["4.00", "1.00", "1.00"].map((credit) => ({ account: { id: "acme", name: "Acme" }, credit, low_credit: "5.00" })),
    );
  });

  test("is raised without a threshold when nothing remains", () => {
    const account = new CheckedAccount();
    for (const move of [2n, -1n, -1n, -1n, 3n, -2n]) {
      account.move(move);
      account.check();
    }
    expect(account.alerts).toMatchObject([{ credit: "0.00", low_credit: "0.00" }, { credit: "0.00" }]);
  });

  test("counts the credit line in, and is never raised where that is unlimited", () => {
    const account = new CheckedAccount();
    account.creditLine = 3n;
    for (const move of [-1n, -1n]) {
      account.move(move);
      account.check();
    }
    expect(account.alerts).toEqual([]);
    account.move(-1n);
    account.check();
    expect(account.alerts).toMatchObject([{ credit: "0.00" }]);
    account.creditLine = "unlimited";
    account.move(-9n);
    account.check();
    expect([account.alerts.length, account.marks.size]).toEqual([1, 0]);
  });

  test("is not raised for a new account that never spent anything", () => {
    const account = new CheckedAccount();
    account.check();
    account.lowCreditNanos = 9n;
    account.move(5n);
    account.check();
    expect([account.alerts, account.marks.size]).toEqual([[], 0]);
  });

  test("is raised when the threshold is set above the balance", () => {
    const account = new CheckedAccount();
    for (const move of [9n, -1n]) account.move(move);
    account.check();
    account.lowCreditNanos = 9n;
    account.check();
    expect(account.alerts).toHaveLength(1);
  });

  test("is raised without a threshold when a request is rejected, and again only after credit was added", () => {
    const account = new CheckedAccount();
    for (const move of [10n, -7n]) account.move(move);
    account.check();
    expect(account.alerts).toEqual([]);
    // Smaller requests continue until no credit is left: this is the same low credit, so no second alert.
    for (const move of [0n, 0n, -1n, -2n]) {
      account.move(move);
      account.refuse();
      account.check();
      account.check();
    }
    expect(account.alerts).toHaveLength(1);
    for (const move of [5n, -4n]) {
      account.move(move);
      account.check();
    }
    expect(account.alerts).toHaveLength(1);
    account.refuse();
    account.check();
    expect(account.alerts).toHaveLength(2);
  });

  test("is not raised for a rejection before credit was added, nor for one above the threshold", () => {
    const account = new CheckedAccount();
    for (const move of [10n, -7n]) account.move(move);
    account.refuse();
    account.move(50n);
    account.check();
    account.lowCreditNanos = 20n;
    account.refuse();
    account.check();
    expect([account.alerts, account.marks.size]).toEqual([[], 0]);
  });

  test("is raised for an account that never spent anything once its request is rejected", () => {
    const account = new CheckedAccount();
    account.move(1n);
    account.refuse();
    account.check();
    expect(account.alerts).toHaveLength(1);
  });

  test("is raised exactly once per threshold crossing of a random balance, despite restarts and failed writes", () => {
    const step = fc.record({ move: fc.bigInt({ min: -20n, max: 20n }), isWritten: fc.boolean(), restarts: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.option(fc.bigInt({ min: 1n, max: 30n })), (steps, threshold) => {
        const account = new CheckedAccount();
        account.lowCreditNanos = threshold;
        // The account has spent before, so every decrease counts.
        account.totalNanos = 1n;
        account.creditNanos = 25n;
        account.check();
        let expected = account.alerts.length;
        let wasLow = expected > 0;
        for (const { move, isWritten, restarts } of steps) {
          account.move(move);
          account.check(isWritten);
          if (restarts) account.marks = new Map(account.marks);
          const isLow = threshold === null ? account.creditNanos <= 0n : account.creditNanos < threshold;
          // A check whose write failed does not count. The next check that is written finds the same state.
          if (!isWritten) continue;
          if (isLow && !wasLow) expected++;
          wasLow = isLow;
          expect(account.alerts).toHaveLength(expected);
        }
      }),
      runs(300),
    );
  });
});
