import { expect, test } from "bun:test";
import type { Attribution } from "../../money/attribution.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import { dayAt, monthAt } from "../../money/period-sums.ts";
import type { Purse } from "../../money/purse.ts";
import { BreakdownSums } from "./breakdown-sums.ts";
import { Discrepancies } from "./discrepancies.ts";

const NOW = Date.parse("2027-03-15T12:00:00Z");
const EARLIER = Date.parse("2027-03-01T12:00:00Z");

const charge = (atMs: number, attribution: Attribution): SettleEntry =>
  ({ kind: "settle", accountId: "a", keyId: "k", atMs, amountNanos: 5n, attribution }) as SettleEntry;

/** The auditor's discrepancies if the ledger claims this spend of a purse. */
function findings(
  scope: Purse["scope"],
  id: string,
  claimed: readonly [dayNanos: bigint, monthNanos: bigint],
  charges: SettleEntry[],
): string[] {
  const [dayNanos, monthNanos] = claimed;
  const sums = new BreakdownSums([{ purse: { scope, id }, day: dayAt(NOW), dayNanos, month: monthAt(NOW), monthNanos }]);
  for (const each of charges) sums.add(each);
  const discrepancies = new Discrepancies();
  sums.compare(discrepancies);
  return discrepancies.reported.map(({ what }) => what);
}

test("requests without a tag are of none, whatever the name of the tag", () => {
  const charges = [charge(NOW, { tags: { team: "x" } })];
  for (const tag of ["env", "constructor"]) expect(findings("tag", `account:a:${tag}=none`, [5n, 5n], charges)).toEqual([]);
});

const checkOf = (period: string): string => `spent by user:key:k:ada in its last ${period} equals the sum of the entries`;

test("the day and the month of an end user are the sums of its charges", () => {
  const charges = [charge(EARLIER, { user: "ada" }), charge(NOW, { user: "ada" }), charge(NOW, { user: "bob" })];
  const found = (dayNanos: bigint, monthNanos: bigint): string[] => findings("user", "key:k:ada", [dayNanos, monthNanos], charges);
  expect(found(5n, 10n)).toEqual([]);
  for (const wrong of [5n, 9n, 11n]) expect(found(5n, wrong)).toEqual([checkOf("month")]);
  for (const wrong of [0n, 4n, 10n]) expect(found(wrong, 10n)).toEqual([checkOf("day")]);
});
