import type {
  AttributedUsage,
  CostedMeasures,
  UsagePosition,
  UsageReportQuery,
  UsageRow,
} from "../../../stores/ledger/ledger-record-store.ts";
import { accountFilter, members, NO_ACCOUNT, singleAccount, type Actor } from "../../../access/access.ts";
import type { Bucket } from "../../../lib/time/calendar.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation, type QueryOf, type ReadOnlyCall } from "../../operation.ts";
import { pageQuery, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { attributedQuery, readAttributedFilters } from "./attributed-filter.ts";
import { addUpHoursOfWeek } from "./hours-of-week.ts";
import { largestQuery, readLargest } from "./largest-groups.ts";
import { fieldOf, readGroups, type UsageGroups } from "./usage-groups.ts";
import { boundsOf, DEFAULT_SPAN_DAYS, DEFAULT_SPAN_HOURS, MAX_SPAN_DAYS, readSpan, type UsageSpan } from "./usage-span.ts";
import { usagePageSchema, viewMeasures, type groupSchemas } from "./usage-view.ts";

/** The parameters of usage reports. */
export const usageQuery = {
  by: {
    type: "string",
    description:
      "Grouping: `hour` or `day`, `model`, `key`, `account`, `user`, `conversation`, a tag such as `tag:team`, or, for operators, `upstream`; or two of them, separated by a comma; or `hour_of_week` alone: weekday and hour of the day, over all weeks of the range. Default: `model`. By end user, conversation and tag over several accounts, rows are by account too.",
  },
  order: {
    type: "string",
    enum: ["name", "cost"],
    description:
      "Sort order: `name` (default), or `cost` for the highest cost first, which has one page and cannot be combined with `hour` or `day`.",
  },
  account: { type: "string", description: "Usage of one account." },
  key: { type: "string", description: "Usage of one key, by its id." },
  model: { type: "string", description: "Usage of one model." },
  ...attributedQuery,
  zone: { type: "string", maxLength: 100, description: "The time zone of days and hours, such as Europe/Berlin. Default: `UTC`." },
  from: {
    type: "string",
    description: `Start time, or day in the time zone. Default: ${DEFAULT_SPAN_DAYS} calendar days of the time zone, including the day of \`to\`; by hour ${DEFAULT_SPAN_HOURS} hours.`,
  },
  to: {
    type: "string",
    description: `End time (exclusive), or day in the time zone. Default: now. At most ${MAX_SPAN_DAYS} days after \`from\`.`,
  },
  ...largestQuery,
  ...pageQuery,
} as const satisfies Record<string, Schema>;

export type UsageQuery = QueryOf<typeof usageQuery>;

/** GET /api/usage: usage aggregated from the ledger. Members see the usage of their own account. */
export function showUsage(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/usage",
    access: members("usage:read"),
    operationId: "showUsage",
    summary: "Aggregate usage by hour, day, model, key, account, upstream, end user, conversation or tag",
    query: usageQuery,
    isThrottled: true,
    reply: {
      status: 200,
      description: "A page of rows by time, then by name or cost. Hours and days without usage have none.",
      json: usagePageSchema,
    },
    run: (call) => reportUsage(call, viewMeasures, platform),
  });
}

/** A page of a report, with these measures of each row and in total. */
export async function reportUsage<View extends object>(
  { actor, query, cursors, exchange }: ReadOnlyCall<unknown, UsageQuery>,
  view: (measures: CostedMeasures) => View,
  platform: Platform,
) {
  const filter = readFilter(query, actor, platform);
  const chosen = readGroups(query.by ?? "model", actor);
  const groups = withAccount(chosen, filter.accountId);
  const attributed = readAttributed(query, groups, filter.accountId, platform);
  const isCostliestFirst = query.order === "cost";
  if (isCostliestFirst) refuseOrder(groups, query);
  if (groups.isByHourOfWeek && query.cursor !== undefined)
    throw unsupported("cursor", "cannot be combined with hour_of_week: it has one page");
  const span = readSpan(query, groups.unit, platform.nowMs(), groups.isByHourOfWeek ? "day" : groups.unit);
  const largest = readLargest(query, chosen, span);
  const { limit, after } = readPage(query, cursors, ["number", ...groups.dimensions.map(() => "string" as const)]);
  const [beganMs, ...names] = (after ?? [0]) as [number, ...string[]];
  const isWhole = largest !== undefined || groups.isByHourOfWeek;
  // It may wait for another report.
  exchange.setIdleTimeout(0);
  const question: UsageReportQuery = {
    bounds: boundsOf(span),
    by: groups.dimensions,
    ...filter,
    attributed,
    after: after && { fromMs: clip(beganMs, span), names },
    limit: isWhole ? undefined : isCostliestFirst ? limit : limit + 1,
    isCostliestFirst,
    largest,
  };
  const { signal } = exchange.request;
  const report = await platform.reportLimit.run(actor, "usage report", () => platform.ledgerRecords.usage(question, signal));
  const beside = { zone: span.zone.name, from: viewTime(span.fromMs), to: viewTime(span.toMs), total: view(report.total) };
  if (groups.isByHourOfWeek) {
    const hours = addUpHoursOfWeek(report.rows, (row) => bucketOf(row, span)!);
    return {
      data: hours.map((each) => ({ weekday: each.weekday, hour_of_day: each.hour, ...view(each) })),
      next: null,
      ...beside,
    };
  }
  const page = toPage(
    cursors,
    report.rows,
    isWhole ? report.rows.length : limit,
    // End users, conversations and tags are of an account, also where it is the only one.
    (row) => ({
      ...(groups.attribution && filter.accountId !== undefined && { account: filter.accountId }),
      ...nameRow(row, groups, span, platform),
      ...view(row),
    }),
    (row) => [bucketOf(row, span)?.fromMs ?? 0, ...row.names],
  );
  return { ...page, ...beside };
}

/** The order by cost changes between two requests: a second page would repeat rows of the first, or skip some. */
function refuseOrder({ unit }: UsageGroups, { cursor }: UsageQuery): void {
  if (unit) throw new ApiError("invalid_value", `order cannot be cost by ${unit}.`, { param: "order" });
  if (cursor !== undefined) throw new ApiError("invalid_value", "order cannot be cost on a second page.", { param: "cursor" });
}

/** The filter of a report, restricted to what the actor may see. */
function readFilter(
  { account, key: keyId, model }: UsageQuery,
  actor: Actor,
  { keys }: Platform,
): Pick<UsageReportQuery, "accountId" | "keyId" | "model"> {
  // Implied by the key, and speeds up the query.
  const ofKey = keyId === undefined ? [] : [keys.find(keyId)?.accountId ?? NO_ACCOUNT];
  return { accountId: singleAccount([...accountFilter(actor, account), ...ofKey]), keyId, model };
}

/** End users, conversations and tags of two accounts are different ones, also where they have the same name. */
function withAccount(groups: UsageGroups, accountId: string | undefined): UsageGroups {
  const isOfEach = groups.attribution !== undefined && accountId === undefined && !groups.dimensions.includes("account");
  return isOfEach ? { ...groups, dimensions: ["account", ...groups.dimensions] } : groups;
}

/** Usage is added up by one of end user, conversation and tag at a time, and not by upstream. Throws a 400 for other combinations. */
function readAttributed(
  query: UsageQuery,
  { attribution, dimensions }: UsageGroups,
  accountId: string | undefined,
  { hashSecret }: Platform,
): AttributedUsage | undefined {
  const filters = readAttributedFilters(query, accountId, hashSecret);
  const [filter] = filters;
  const dimension = attribution ?? filter?.dimension;
  if (dimension === undefined) return undefined;
  const other = filters.find((each) => each.dimension !== dimension);
  if (other) throw unsupported(other.param, `cannot be combined with ${dimension}: a report is by one of end user, conversation and tag`);
  if (dimensions.includes("upstream")) throw unsupported("by", `cannot be upstream with ${dimension}`);
  return { dimension, names: filter?.names };
}

function unsupported(param: string, problem: string): ApiError {
  return new ApiError("invalid_value", `${param} ${problem}.`, { param });
}

/** The start of the part of a bucket that is within the range. */
function clip(beganMs: number, { fromMs, buckets }: UsageSpan): number {
  const [first] = buckets;
  return first && beganMs < first.fromMs ? beganMs : Math.max(beganMs, fromMs);
}

function bucketOf({ fromMs }: UsagePosition, { buckets }: UsageSpan): Bucket | undefined {
  // Binary search: there are many buckets, in order.
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (buckets[middle]!.toMs > fromMs) high = middle;
    else low = middle + 1;
  }
  return buckets[low];
}

type RowNames = QueryOf<typeof groupSchemas>;

function nameRow(row: UsageRow, { dimensions, attribution }: UsageGroups, span: UsageSpan, { keys, nowMs }: Platform): RowNames {
  const bucket = bucketOf(row, span);
  const keyAt = dimensions.indexOf("key");
  const time = bucket && {
    [bucket.unit]: bucket.name,
    is_partial: bucket.fromMs < span.fromMs || bucket.toMs > Math.min(span.toMs, nowMs()),
  };
  if (dimensions.length > 0 && row.names.length === 0) return { ...time, is_other: true };
  return {
    ...time,
    // An empty upstream name means none.
    ...Object.fromEntries(dimensions.map((dimension, at) => [fieldOf(dimension, attribution), row.names[at] || null])),
    ...(keyAt >= 0 && { key_name: keys.find(row.names[keyAt]!)?.name ?? null }),
  };
}
