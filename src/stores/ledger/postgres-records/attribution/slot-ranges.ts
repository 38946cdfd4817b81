import type { Interval } from "../../usage/granularity.ts";
import type { BucketInterval } from "../usage-parts.ts";

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
