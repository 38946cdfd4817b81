import type { UsageReportQuery } from "../ledger-record-store.ts";
import type { Parameters } from "./parameters.ts";
import type { BucketInterval, QuarterPart } from "./usage-parts.ts";

/** The sources of the usage in a report. */
export interface UsageSources {
  readonly intervals: readonly BucketInterval[];
  /** Read from entries, whose ids are found by their times. */
  readonly parts: readonly QuarterPart[];
  /** The last entry in the rollups, and the last entry in the ledger: entries in between are read too. */
  readonly asOfId: number;
  readonly lastId: number;
}

export function conditionsOf({ accountId, keyId, model }: UsageReportQuery, parameters: Parameters): string[] {
  const wanted = Object.entries({ account_id: accountId, key_id: keyId, model }).filter(([, value]) => value !== undefined);
  return wanted.map(([column, value]) => `${column} = ${parameters.add(value)}`);
}

/** SQL for `span`: the intervals of the rollups, with the start of the bucket. */
export function spansOf(intervals: readonly BucketInterval[], parameters: Parameters): string {
  const fields = [
    `${parameters.add(intervals.map(({ bucketMs }) => bucketMs))}::bigint[]`,
    `${parameters.add(intervals.map(({ granularity }) => granularity))}::text[]`,
    `${parameters.add(intervals.map(({ firstSlot }) => firstSlot))}::bigint[]`,
    `${parameters.add(intervals.map(({ endSlot }) => endSlot))}::bigint[]`,
    `${parameters.add(intervals.map(({ isSubtracted }) => isSubtracted))}::boolean[]`,
  ];
  return `unnest(${fields.join(", ")}) as span(from_ms, grain, first_slot, end_slot, is_subtracted)`;
}

/** SQL for the start of an entry's bucket. */
export function bucketOf({ bounds }: UsageReportQuery, parameters: Parameters): string {
  const starts = parameters.add(bounds.slice(0, -1));
  return `(${starts}::bigint[])[width_bucket(at_ms, ${starts}::bigint[])]`;
}

/** Entries in partial quarter hours, and entries that are not in the rollups yet. */
export function entriesIn({ bounds }: UsageReportQuery, { parts, asOfId, lastId }: UsageSources, parameters: Parameters): string {
  const unrolled = [asOfId + 1, lastId, bounds[0], bounds.at(-1)].map((value) => `${parameters.add(value)}::bigint`);
  return `(${spansOfParts(parts, asOfId, parameters)} union all select ${unrolled.join(", ")}) as span
    join entries on entries.id between span.first_id and span.last_id and at_ms >= span.from_ms and at_ms < span.to_ms`;
}

/** The entries in partial quarter hours, up to the last entry in the rollups. */
export function entriesInParts(parts: readonly QuarterPart[], asOfId: number, parameters: Parameters): string {
  // `offset 0` forces an index scan for each span. Otherwise the planner might read all entries.
  return `(${spansOfParts(parts, asOfId, parameters)}) as span, lateral (select * from entries
    where id between span.first_id and span.last_id and at_ms >= span.from_ms and at_ms < span.to_ms offset 0) as entries`;
}

function spansOfParts(parts: readonly QuarterPart[], asOfId: number, parameters: Parameters): string {
  const from = parameters.add(parts.map(({ fromMs }) => fromMs));
  const to = parameters.add(parts.map(({ toMs }) => toMs));
  return `select entry_blocks.first_id, least(entry_blocks.last_id, ${parameters.add(asOfId)}) as last_id, part.from_ms, part.to_ms
        from unnest(${from}::bigint[], ${to}::bigint[]) as part(from_ms, to_ms)
        join entry_blocks on entry_blocks.last_ms >= part.from_ms and entry_blocks.first_ms < part.to_ms`;
}
