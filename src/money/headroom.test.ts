import { expect, test } from "bun:test";
import { capHeadrooms, tightestCap } from "./headroom.ts";
import { NO_CAPS, type Caps } from "./limits.ts";

const NOON = Date.parse("2027-01-31T12:00:00Z");
const SPENDING = { heldNanos: 1n, dayNanos: 10n, monthNanos: 20n, totalNanos: 30n };

function leftOf(caps: Caps, nowMs: number): unknown {
  const rooms = capHeadrooms({ scope: "key", id: "k" }, caps, SPENDING, nowMs);
  return [rooms.map(({ leftNanos }) => leftNanos), tightestCap(caps, SPENDING, nowMs)];
}

test("spend at another gateway counts against the caps of its day and month until its time, and not against the total", () => {
  const carried = { day: { nanos: 5n, untilMs: NOON }, month: { nanos: 70n, untilMs: NOON + 1 } };
  const caps = { dayNanos: 100n, monthNanos: 100n, totalNanos: 100n, carried };
  expect(leftOf(caps, NOON - 1)).toEqual([[84n, 9n, 69n], 9n]);
  expect(leftOf(caps, NOON)).toEqual([[89n, 9n, 69n], 9n]);
  expect(leftOf(caps, NOON + 1)).toEqual([[89n, 79n, 69n], 69n]);
  expect(leftOf({ ...NO_CAPS, carried }, NOON - 1)).toEqual([[], undefined]);
});
