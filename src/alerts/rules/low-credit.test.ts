import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import { makeAccount, type Account } from "../../access/account.ts";
import type { Found } from "./crossing.ts";
import { checkLowCredit } from "./low-credit.ts";

/** An account that is checked after each of its changes, and the raised alerts. */
class Walk {
  creditNanos = 0n;
  totalNanos = 0n;
  lowCreditNanos: bigint | null = null;
  marks = new Map<string, Mark>();
  readonly refused = new Map<"credit", bigint>();
  readonly told: unknown[] = [];

  move(nanos: bigint): void {
    this.creditNanos += nanos;
    if (nanos < 0n) this.totalNanos -= nanos;
  }

  /** A request is rejected because of credit. */
  refuse(): void {
    this.refused.set("credit", this.creditNanos);
  }

  /** One look. What it finds is written, unless that fails: then nothing of it has happened. */
  check(isWritten = true): void {
    const account: Account = { ...makeAccount("acme", "Acme", 1), lowCreditNanos: this.lowCreditNanos };
    const found = checkLowCredit(account, this.refused, this as unknown as LedgerStore, this.marks, 5);
    if (!isWritten) return;
    for (const each of found) this.#write(each);
    this.refused.clear();
  }

  #write({ subject, mark, alert }: Found): void {
    if (mark) this.marks.set(subject, mark);
    else this.marks.delete(subject);
    if (alert) this.told.push(alert.data);
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
    const walk = new Walk();
    walk.lowCreditNanos = 5_000_000_000n;
    for (const move of [10n, -5n, -1n, -1n, 1n, 1n, -4n, 20n, -20n]) {
      walk.move(move * 1_000_000_000n);
      walk.check();
    }
    expect(walk.told).toEqual(
      ["4.00", "1.00", "1.00"].map((credit) => ({ account: { id: "acme", name: "Acme" }, credit, low_credit: "5.00" })),
    );
  });

  test("is raised without a threshold when nothing remains", () => {
    const walk = new Walk();
    for (const move of [2n, -1n, -1n, -1n, 3n, -2n]) {
      walk.move(move);
      walk.check();
    }
    expect(walk.told).toMatchObject([{ credit: "0.00", low_credit: "0.00" }, { credit: "0.00" }]);
  });

  test("is not raised for a new account that never spent anything", () => {
    const walk = new Walk();
    walk.check();
    walk.lowCreditNanos = 9n;
    walk.move(5n);
    walk.check();
    expect([walk.told, walk.marks.size]).toEqual([[], 0]);
  });

  test("is raised when the threshold is set above the balance", () => {
    const walk = new Walk();
    for (const move of [9n, -1n]) walk.move(move);
    walk.check();
    walk.lowCreditNanos = 9n;
    walk.check();
    expect(walk.told).toHaveLength(1);
  });

  test("is raised without a threshold when a request is rejected, and again only after credit was added", () => {
    const walk = new Walk();
    for (const move of [10n, -7n]) walk.move(move);
    walk.check();
    expect(walk.told).toEqual([]);
    // Smaller requests go on until nothing is left: it is the same want.
    for (const move of [0n, 0n, -1n, -2n]) {
      walk.move(move);
      walk.refuse();
      walk.check();
      walk.check();
    }
    expect(walk.told).toHaveLength(1);
    for (const move of [5n, -4n]) {
      walk.move(move);
      walk.check();
    }
    expect(walk.told).toHaveLength(1);
    walk.refuse();
    walk.check();
    expect(walk.told).toHaveLength(2);
  });

  test("is not raised for a rejection before credit was added, nor for one above the threshold", () => {
    const walk = new Walk();
    for (const move of [10n, -7n]) walk.move(move);
    walk.refuse();
    walk.move(50n);
    walk.check();
    walk.lowCreditNanos = 20n;
    walk.refuse();
    walk.check();
    expect([walk.told, walk.marks.size]).toEqual([[], 0]);
  });

  test("is raised for an account that never spent anything once its request is rejected", () => {
    const walk = new Walk();
    walk.move(1n);
    walk.refuse();
    walk.check();
    expect(walk.told).toHaveLength(1);
  });

  test("is raised exactly once per threshold crossing of a random walk, despite restarts and failed writes", () => {
    const step = fc.record({ move: fc.bigInt({ min: -20n, max: 20n }), isWritten: fc.boolean(), restarts: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.option(fc.bigInt({ min: 1n, max: 30n })), (steps, threshold) => {
        const walk = new Walk();
        walk.lowCreditNanos = threshold;
        // It has spent before, so that every fall counts.
        walk.totalNanos = 1n;
        walk.creditNanos = 25n;
        walk.check();
        let expected = walk.told.length;
        let wasLow = expected > 0;
        for (const { move, isWritten, restarts } of steps) {
          walk.move(move);
          walk.check(isWritten);
          if (restarts) walk.marks = new Map(walk.marks);
          const isLow = threshold === null ? walk.creditNanos <= 0n : walk.creditNanos < threshold;
          // What could not be written has been seen by nobody: it counts with the next look that can be.
          if (!isWritten) continue;
          if (isLow && !wasLow) expected++;
          wasLow = isLow;
          expect(walk.told).toHaveLength(expected);
        }
      }),
      runs(300),
    );
  });
});
