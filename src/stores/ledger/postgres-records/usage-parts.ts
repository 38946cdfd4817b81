import { GRANULARITY_MS, signedIntervalsOf, type Granularity, type SignedInterval } from "../usage/granularity.ts";

/** A bucket of a report, made of slots of the rollups. */
export interface BucketInterval extends SignedInterval {
  /** The start of the bucket. */
  readonly bucketMs: number;
}

/** A part of a quarter hour, at the start or end of a bucket. */
export interface QuarterPart {
  readonly bucketMs: number;
  readonly slot: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Divides the buckets of a report into slots of the rollups and parts of quarter hours. */
export function divideBuckets(
  bounds: readonly number[],
  granularities: readonly Granularity[],
): { intervals: BucketInterval[]; parts: QuarterPart[] } {
  const size = GRANULARITY_MS.quarter;
  const intervals: BucketInterval[] = [];
  const parts: QuarterPart[] = [];
  for (let at = 0; at + 1 < bounds.length; at++) {
    const [bucketMs, toMs] = [bounds[at]!, bounds[at + 1]!];
    const [first, last] = [Math.ceil(bucketMs / size) * size, Math.floor(toMs / size) * size];
    const part = (fromMs: number, endMs: number): void => {
      if (fromMs < endMs) parts.push({ bucketMs, slot: Math.floor(fromMs / size), fromMs, toMs: endMs });
    };
    if (first > last) {
      part(bucketMs, toMs);
      continue;
    }
    part(bucketMs, first);
    for (const interval of signedIntervalsOf(first, last, granularities)) intervals.push({ ...interval, bucketMs });
    part(last, toMs);
  }
  return { intervals, parts };
}
