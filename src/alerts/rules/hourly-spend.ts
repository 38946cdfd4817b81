import type { DaySpending, HourlySpend } from "../../stores/alerts/hourly-spend-store.ts";
import type { Nanos } from "../../money/money.ts";

const HOURS_IN_A_DAY = 24;

/** Older hours say nothing about the current baseline. */
const HISTORY_DAYS = 7;

/** With fewer hours of use there is no baseline: a first busy afternoon would raise an alert. */
const MIN_HOURS = 24;

export function hourAt(nowMs: number): number {
  return Math.floor(nowMs / 3_600_000);
}

/** A key of which nothing is known yet. What it spent before counts for no hour. */
export function unknownKey(hour: number, totalNanos: Nanos): HourlySpend {
  return { hour, nanos: 0n, totalNanos, days: [] };
}

/** What is known with what the key has spent by now. What came since the last look was spent in this hour. */
export function spentBy(known: HourlySpend, hour: number, totalNanos: Nanos): HourlySpend {
  const turned = turnTo(known, hour);
  return { ...turned, nanos: turned.nanos + totalNanos - known.totalNanos, totalNanos };
}

/** What the key spends in an hour in which it is used, by the mean of those of the last days; undefined where these were too few. */
export function usualHour({ hour, days }: HourlySpend): Nanos | undefined {
  const recent = days.filter(({ day }) => day >= dayOf(hour) - HISTORY_DAYS);
  const hours = recent.reduce((sum, each) => sum + each.hours, 0);
  if (hours < MIN_HOURS) return undefined;
  return recent.reduce((sum, each) => sum + each.nanos, 0n) / BigInt(hours);
}

/** Puts an hour that is over to its day. A clock that is set back by an hour goes on with the hour that it was. */
function turnTo(known: HourlySpend, hour: number): HourlySpend {
  if (hour === known.hour || hour === known.hour - 1) return known;
  const recent = known.days.filter(({ day }) => day >= dayOf(hour) - HISTORY_DAYS);
  return { ...known, hour, nanos: 0n, days: known.nanos > 0n ? withHour(recent, dayOf(known.hour), known.nanos) : recent };
}

function withHour(days: readonly DaySpending[], day: number, nanos: Nanos): DaySpending[] {
  const last = days.at(-1);
  if (last?.day !== day) return [...days, { day, nanos, hours: 1 }];
  return [...days.slice(0, -1), { day, nanos: last.nanos + nanos, hours: last.hours + 1 }];
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_IN_A_DAY);
}
