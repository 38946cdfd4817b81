import { GRANULARITY_MS, signedIntervalsOf, type Granularity, type Interval, type SignedInterval } from "./granularity.ts";

/** A bucket of a report, made of slots of the rollups. */
export interface BucketInterval extends SignedInterval {
  /** The start of the bucket. */
  readonly bucketMs: number;
}

/** A span of time. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A part of a quarter hour, at the start or end of a bucket. */
export interface QuarterPart extends TimeSpan {
  readonly bucketMs: number;
  readonly slot: number;
}

/** Divides the buckets of a report into slots of the rollups and parts of quarter hours, within the time that has usage. */
export function divideBuckets(
  bounds: readonly number[],
  used: TimeSpan,
  granularities: readonly Granularity[],
): { intervals: BucketInterval[]; parts: QuarterPart[] } {
  const size = GRANULARITY_MS.quarter;
  const intervals: BucketInterval[] = [];
  const parts: QuarterPart[] = [];
  for (let at = 0; at + 1 < bounds.length; at++) {
    const bucketMs = bounds[at]!;
    const [fromMs, toMs] = [Math.max(bucketMs, used.fromMs), Math.min(bounds[at + 1]!, used.toMs)];
    if (fromMs >= toMs) continue;
    const [first, last] = [Math.ceil(fromMs / size) * size, Math.floor(toMs / size) * size];
    const part = (startMs: number, endMs: number): void => {
      if (startMs < endMs) parts.push({ bucketMs, slot: Math.floor(startMs / size), fromMs: startMs, toMs: endMs });
    };
    if (first > last) {
      part(fromMs, toMs);
      continue;
    }
    part(fromMs, first);
    for (const interval of signedIntervalsOf(first, last, granularities)) intervals.push({ ...interval, bucketMs });
    part(last, toMs);
  }
  return { intervals, parts };
}

/** A bucket that the sums of some slots are added to, or subtracted from. */
export interface Target {
  readonly bucketMs: number;
  readonly isSubtracted: boolean;
}

/** Slots of the rollups, and the buckets for which they count. */
export interface SlotRange extends Interval {
  readonly targets: readonly Target[];
}

/**
 * Slots that count for several buckets are read once: in a time zone, the hours at the end of one day are needed again at the start of the
 * next.
 */
export function slotRangesOf(intervals: readonly BucketInterval[]): SlotRange[] {
  const ranges = new Map<string, SlotRange & { targets: Target[] }>();
  for (const { bucketMs, isSubtracted, ...interval } of intervals) {
    const key = `${interval.granularity} ${interval.firstSlot} ${interval.endSlot}`;
    const known = ranges.get(key);
    if (known) known.targets.push({ bucketMs, isSubtracted });
    else ranges.set(key, { ...interval, targets: [{ bucketMs, isSubtracted }] });
  }
  return [...ranges.values()];
}
