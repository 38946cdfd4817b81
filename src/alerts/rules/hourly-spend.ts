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

/** A key without history. Its earlier spend counts for no hour. */
export function newBaseline(hour: number, totalNanos: Nanos): HourlySpend {
  return { hour, nanos: 0n, totalNanos, days: [] };
}

/** Updates the baseline with the key's total spend. The difference to the last check was spent in this hour. */
export function updateBaseline(known: HourlySpend, hour: number, totalNanos: Nanos): HourlySpend {
  const advanced = advanceTo(known, hour);
  return { ...advanced, nanos: advanced.nanos + totalNanos - known.totalNanos, totalNanos };
}

/** The hourly spend baseline: the mean over the hours of use in the last days; undefined when there were too few. */
export function baselineOf({ hour, days }: HourlySpend): Nanos | undefined {
  const recent = days.filter(({ day }) => day >= dayOf(hour) - HISTORY_DAYS);
  const hours = recent.reduce((sum, each) => sum + each.hours, 0);
  if (hours < MIN_HOURS) return undefined;
  return recent.reduce((sum, each) => sum + each.nanos, 0n) / BigInt(hours);
}

/** Adds a completed hour to its day. A clock that is set back by an hour continues the current hour. */
function advanceTo(known: HourlySpend, hour: number): HourlySpend {
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
