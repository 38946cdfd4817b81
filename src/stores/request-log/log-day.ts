const DAY_MS = 24 * 60 * 60 * 1000;
/** If a clock is behind, or is set back, by less than this, the log does not return to the previous day. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;
/** More than the number of rows that are written in a millisecond. */
const ROWS_PER_MS = 100;
/** Years with five digits would not sort correctly as text. */
const LAST_MS = Date.parse("9999-12-31");

/** The UTC day of a moment. */
export function dayOf(ms: number): string {
  return new Date(Math.min(ms, LAST_MS)).toISOString().slice(0, 10);
}

/** The day that is `days` days later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

/** The latest day to which requests that ended at this time can belong. */
export function latestDayOf(endedAtMs: number): string {
  return dayOf(endedAtMs + CLOCK_SLACK_MS);
}

/** The day of requests that ended at this time, in a log whose newest day is `newest`. */
export function dayIn(newest: string, endedAtMs: number): string {
  const day = dayOf(endedAtMs);
  return day < newest && latestDayOf(endedAtMs) === newest ? newest : day;
}

/** The days that may have requests that ended between two moments. */
export function daysBetween(days: readonly string[], fromMs: number | undefined, toMs: number | undefined): string[] {
  const first = fromMs === undefined ? "" : dayOf(fromMs);
  // If a clock is behind or was set back, a request may be in the next day.
  const last = toMs === undefined ? "~" : addDays(dayOf(toMs), 1);
  return days.filter((day) => day >= first && day <= last);
}

/**
 * The number of the first row of a new day. A new day may replace a lost one: rows are numbered by the time of day, so that positions handed
 * out before stay in order.
 */
export function firstRowAt(endedAtMs: number): number {
  return (endedAtMs % DAY_MS) * ROWS_PER_MS;
}
