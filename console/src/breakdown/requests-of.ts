import type { Measure } from "./breakdown.ts";
import type { Group } from "./breakdown-series.ts";
import type { UsageFilter } from "./use-usage.ts";

/** Group names that only reports use. They have no requests to list. */
const IN_REPORTS: ReadonlySet<string | null | undefined> = new Set(["other", "erased"]);

interface Bar {
  readonly filter: UsageFilter;
  /** The group of the bar; undefined for all groups. */
  readonly group: Group | undefined;
  /** The name of the tag, if the group is a tag value. */
  readonly tag: string;
  readonly measure: Measure;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The filters of the request log for a bar of a chart. */
export function requestsOf({ filter, group = {}, tag, measure, fromMs, toMs }: Bar): Readonly<Record<string, string>> {
  const { tag: value, user, upstream, ...names } = group;
  const wanted = {
    ...filter,
    ...names,
    upstream: upstream ?? undefined,
    user: IN_REPORTS.has(user) ? undefined : user,
    tag: value === undefined || IN_REPORTS.has(value) ? undefined : `${tag}:${value}`,
    outcome: measure.id === "failed" || upstream === null ? "failed" : undefined,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  };
  return Object.fromEntries(Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
