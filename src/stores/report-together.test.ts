import { expect, test } from "bun:test";
import { reportTogether } from "./report-together.ts";

test("reports the first failure, and the recovery of the last source", () => {
  const reported: (string | undefined)[] = [];
  const reporterOf = reportTogether((failure) => reported.push(failure));
  const [ledger, feed] = [reporterOf(), reporterOf()];
  feed(undefined);
  ledger("away");
  ledger("still away");
  feed("away");
  ledger(undefined);
  expect(reported).toEqual(["away"]);
  feed(undefined);
  feed(undefined);
  expect(reported).toEqual(["away", undefined]);
  feed("again");
  expect(reported).toEqual(["away", undefined, "again"]);
});
