/**
 * The granularities of rollups, in UTC. Quarter hours are the finest, because the offset of every time zone is a multiple of a quarter
 * hour: hours and days of any zone are made of quarter hours. A month here is 30 days, counted from 1970.
 */
export const GRANULARITIES = ["quarter", "hour", "day", "month"] as const;

/**
 * By end user, conversation and tag there are far more sums, most of them in one or two days. Slots of five days save most of the sums of a
 * month.
 */
export const ATTRIBUTED_GRANULARITIES = ["quarter", "hour", "day", "five_days", "month"] as const;
export type Granularity = (typeof ATTRIBUTED_GRANULARITIES)[number];

export const GRANULARITY_MS: Readonly<Record<Granularity, number>> = {
  quarter: 900_000,
  hour: 3_600_000,
  day: 86_400_000,
  five_days: 5 * 86_400_000,
  month: 30 * 86_400_000,
};

/** Consecutive slots of one granularity, counted from 1970. */
export interface Interval {
  readonly granularity: Granularity;
  readonly firstSlot: number;
  readonly endSlot: number;
}

/** The fewest intervals that cover a span whose bounds are at quarter hours. */
export function intervalsOf(fromMs: number, toMs: number, granularities: readonly Granularity[] = GRANULARITIES): Interval[] {
  return split(fromMs, toMs, granularities, granularities.length - 1);
}

/** An interval whose sums are added or subtracted. */
export interface SignedInterval extends Interval {
  readonly isSubtracted: boolean;
}

/**
 * The fewest slots that make up a span whose bounds are at quarter hours. A day of another time zone is the UTC day, plus the hours before
 * it, minus its last hours: far fewer sums than all hours of the day.
 */
export function signedIntervalsOf(fromMs: number, toMs: number, granularities: readonly Granularity[]): SignedInterval[] {
  const signed = (from: number, to: number): SignedInterval[] => {
    const [first, end] = from < to ? [from, to] : [to, from];
    return intervalsOf(first, end, granularities).map((interval) => ({ ...interval, isSubtracted: from > to }));
  };
  const [firstDay, endDay] = [nearestDay(fromMs), nearestDay(toMs)];
  const direct = signed(fromMs, toMs);
  if (firstDay >= endDay) return direct;
  const byDays = [...signed(firstDay, endDay), ...signed(fromMs, firstDay), ...signed(endDay, toMs)];
  return countSlots(byDays) < countSlots(direct) ? byDays : direct;
}

function nearestDay(atMs: number): number {
  return Math.round(atMs / GRANULARITY_MS.day) * GRANULARITY_MS.day;
}

function countSlots(intervals: readonly Interval[]): number {
  return intervals.reduce((count, { firstSlot, endSlot }) => count + endSlot - firstSlot, 0);
}

function split(fromMs: number, toMs: number, granularities: readonly Granularity[], level: number): Interval[] {
  if (fromMs >= toMs) return [];
  const granularity = granularities[level]!;
  const size = GRANULARITY_MS[granularity];
  const [firstSlot, endSlot] = [Math.ceil(fromMs / size), Math.floor(toMs / size)];
  if (level === 0) return [{ granularity, firstSlot, endSlot }];
  if (firstSlot >= endSlot) return split(fromMs, toMs, granularities, level - 1);
  return [
    ...split(fromMs, firstSlot * size, granularities, level - 1),
    { granularity, firstSlot, endSlot },
    ...split(endSlot * size, toMs, granularities, level - 1),
  ];
}
