import { expect, test } from "bun:test";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import type { LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import { NO_CAPS, type Caps } from "../../money/limits.ts";
import { checkSpendCaps } from "./spend-caps.ts";
import { NOTHING_REFUSED, type RefusedAmounts } from "./refusals.ts";

const TODAY = Date.parse("2027-03-31T12:00:00Z");
const TOMORROW = TODAY + 86_400_000;

/** A key with caps, and the raised alerts. */
class CappedKey {
  caps: Caps = NO_CAPS;
  readonly #marks = new Map<string, Mark>();

  /** The alerts of a check after this spend in each period, with the rejections since the last check. */
  check(spent: bigint, nowMs = TODAY, refused: RefusedAmounts = NOTHING_REFUSED): string[] {
    const ledger = { spendingOf: () => ({ heldNanos: 0n, dayNanos: spent, monthNanos: spent, totalNanos: spent }) };
    const capped = { scope: "key", id: "k", caps: this.caps, refused, named: () => ({ key: { id: "k", name: "K" } }) } as const;
    return checkSpendCaps(capped, ledger as unknown as LedgerRecordStore, this.#marks, nowMs).flatMap(({ subject, mark, alert }) => {
      if (mark) this.#marks.set(subject, mark);
      else this.#marks.delete(subject);
      return alert ? [`${alert.kind} ${String(alert.data["period"])}`] : [];
    });
  }
}

function refusedAt(left: bigint): RefusedAmounts {
  return new Map([["day", left]]);
}

test("alerts once at 80 % of a cap and once when it is reached", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, dayNanos: 100n };
  const checks = [0n, 79n, 80n, 81n, 99n, 100n, 120n].map((spent) => key.check(spent));
  expect(checks).toEqual([[], [], ["cap.near day"], [], [], ["cap.reached day"], []]);
});

test("does not raise cap.near after cap.reached", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, monthNanos: 100n };
  expect([key.check(100n), key.check(101n)]).toEqual([["cap.reached month"], []]);
});

test("alerts again in the next day and month, and not again for the total", () => {
  const key = new CappedKey();
  key.caps = { dayNanos: 100n, monthNanos: 100n, totalNanos: 100n };
  expect(key.check(100n)).toEqual(["cap.reached day", "cap.reached month", "cap.reached total"]);
  // This day is the last day of the month.
  expect(key.check(100n, TOMORROW)).toEqual(["cap.reached day", "cap.reached month"]);
  expect(key.check(100n, TOMORROW + 86_400_000)).toEqual(["cap.reached day"]);
});

test("alerts again for a raised cap when it is reached, and not for a removed one", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, totalNanos: 100n };
  expect(key.check(100n)).toEqual(["cap.reached total"]);
  key.caps = { ...NO_CAPS, totalNanos: 200n };
  expect([key.check(150n), key.check(160n), key.check(200n)]).toEqual([[], ["cap.near total"], ["cap.reached total"]]);
  key.caps = NO_CAPS;
  expect(key.check(200n)).toEqual([]);
  key.caps = { ...NO_CAPS, totalNanos: 200n };
  expect(key.check(200n)).toEqual(["cap.reached total"]);
});

test("a cap of zero raises no alert", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, dayNanos: 0n };
  expect(key.check(0n)).toEqual([]);
});

test("a cap that rejects a request is reached, whatever was spent, and is alerted once in its period", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, dayNanos: 100n, monthNanos: 1000n };
  expect([key.check(70n, TODAY, refusedAt(30n)), key.check(70n), key.check(75n, TODAY, refusedAt(25n))]).toEqual([
    ["cap.reached day"],
    [],
    [],
  ]);
  // The cap is now near and reached, but the alert was raised already.
  expect([key.check(85n), key.check(100n), key.check(0n, TOMORROW)]).toEqual([[], [], []]);
  expect(key.check(60n, TOMORROW, refusedAt(40n))).toEqual(["cap.reached day"]);
});

test("a rejection counts for the cap at that time, not for a raised cap or the next day", () => {
  const key = new CappedKey();
  key.caps = { ...NO_CAPS, dayNanos: 100n };
  expect(key.check(0n, TOMORROW, refusedAt(5n))).toEqual([]);
  expect(key.check(70n, TOMORROW, refusedAt(30n))).toEqual(["cap.reached day"]);
  key.caps = { ...NO_CAPS, dayNanos: 200n };
  expect(key.check(70n, TOMORROW, refusedAt(30n))).toEqual([]);
  expect(key.check(150n, TOMORROW, refusedAt(50n))).toEqual(["cap.reached day"]);
});
