/**
 * The granularities of rollups, in UTC. Quarter hours are the finest, because the offset of every time zone is a multiple of them: hours and
 * days of any zone are made of quarter hours. A month here is 30 days, counted from 1970.
 */
export const GRANULARITIES = ["quarter", "hour", "day", "month"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const GRANULARITY_MS: Readonly<Record<Granularity, number>> = {
  quarter: 900_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 30 * 86_400_000,
};

/** Consecutive slots of one granularity, counted from 1970. */
export interface Interval {
  readonly granularity: Granularity;
  readonly firstSlot: number;
  readonly endSlot: number;
}

/** The fewest intervals that cover a span whose bounds are at quarter hours. */
export function intervalsOf(fromMs: number, toMs: number): Interval[] {
  return split(fromMs, toMs, GRANULARITIES.length - 1);
}

function split(fromMs: number, toMs: number, level: number): Interval[] {
  if (fromMs >= toMs) return [];
  const granularity = GRANULARITIES[level]!;
  const size = GRANULARITY_MS[granularity];
  const [firstSlot, endSlot] = [Math.ceil(fromMs / size), Math.floor(toMs / size)];
  if (level === 0) return [{ granularity, firstSlot, endSlot }];
  if (firstSlot >= endSlot) return split(fromMs, toMs, level - 1);
  return [...split(fromMs, firstSlot * size, level - 1), { granularity, firstSlot, endSlot }, ...split(endSlot * size, toMs, level - 1)];
}
