import { expect, test } from "bun:test";
import type { Attempt } from "../crash/call-attempt.ts";
import { chargesIn, type Logs } from "../crash/compare-logs.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";
import { withoutClockErrors } from "./clock-error.ts";

const HOUR_MS = 3_600_000;

function attempt(marker: string, sentAtMs: number, requestId: string | null): Attempt {
  return { keyId: "key", marker, sentAtMs, endedAtMs: sentAtMs + 10, requestId, replays: null } as Attempt;
}

function hold(request_id: string, at_ms: number): LedgerRow {
  return { id: 1, kind: "hold", key_id: "key", request_id, at_ms } as LedgerRow;
}

function markersOf(logs: Pick<Logs, "entries" | "attempts">): (string | undefined)[] {
  return chargesIn(withoutClockErrors({ ...logs, calls: [] })).map((charge) => charge.attempt?.marker);
}

test("a hold belongs to the attempt with its id, or else to the nearest attempt without one", () => {
  const attempts = [attempt("a", 10_000, "req_1"), attempt("b", 10_012, null), attempt("c", 10_024, "req_3")];
  expect(markersOf({ entries: [hold("req_1", 10_012)], attempts })).toEqual(["a"]);
  expect(markersOf({ entries: [hold("req_2", 10_005)], attempts })).toEqual(["b"]);
  expect(markersOf({ entries: [hold("req_3", 9000 + 30)], attempts })).toEqual(["c"]);
});

test("a clock that is wrong by an hour is not such an error", () => {
  const attempts = [attempt("a", 10_000_000, "req_1"), attempt("b", 10_000_012, null)];
  for (const shiftMs of [-HOUR_MS, HOUR_MS]) {
    expect(markersOf({ entries: [hold("req_1", 10_000_005 + shiftMs)], attempts })).toEqual([undefined]);
    expect(markersOf({ entries: [hold("req_2", 10_000_015 + shiftMs)], attempts })).toEqual([undefined]);
  }
});
