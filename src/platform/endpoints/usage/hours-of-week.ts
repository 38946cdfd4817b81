import type { Bucket } from "../../../lib/time/calendar.ts";
import type { CostedMeasures, UsageRow } from "../../../stores/ledger/ledger-record-store.ts";

/** An hour of the week in the calendar of a time zone, over all weeks. */
export interface HourOfWeek extends CostedMeasures {
  /** From 1, Monday, to 7, Sunday. */
  readonly weekday: number;
  /** From 0 to 23. */
  readonly hour: number;
}

/** Adds up hours by weekday and time of day, in the order of the week. An hour that occurs twice on a day is added up too. */
export function addUpHoursOfWeek(rows: readonly UsageRow[], bucketOf: (row: UsageRow) => Bucket): HourOfWeek[] {
  const hours = new Map<number, HourOfWeek>();
  for (const { fromMs, names, ...measures } of rows) {
    const { name } = bucketOf({ fromMs, names, ...measures });
    const weekday = new Date(name.slice(0, 10)).getUTCDay() || 7;
    const hour = Number(name.slice(11, 13));
    const place = weekday * 24 + hour;
    const before = hours.get(place);
    hours.set(place, { weekday, hour, ...(before ? add(before, measures) : measures) });
  }
  return [...hours].toSorted(([one], [other]) => one - other).map(([, each]) => each);
}

function add(one: CostedMeasures, other: CostedMeasures): CostedMeasures {
  return {
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    costNanos: one.costNanos + other.costNanos,
    unchargedNanos: one.unchargedNanos + other.unchargedNanos,
    costedRequests: one.costedRequests + other.costedRequests,
    upstreamCostNanos: one.upstreamCostNanos + other.upstreamCostNanos,
    costedNanos: one.costedNanos + other.costedNanos,
  };
}
