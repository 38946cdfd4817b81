import { type QueryOf, operation, type Operation, type ReadOnlyCall } from "../operation.ts";
import { storedIdentities, storedName } from "../../access/stored-identity.ts";
import { TAG_NAME } from "../../money/tag-names.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import {
  endpointName,
  endpointNamed,
  MODEL_ENDPOINTS,
  tagDimension,
  type AttributionDimension,
  type ModelEndpoint,
  tagOf,
} from "../../money/attribution.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { bucketAt, bucketsBetween, type Bucket, type CalendarUnit } from "../../lib/time/calendar.ts";
import { TimeZone } from "../../lib/time/time-zone.ts";
import { readTime, timeSchema, viewTime } from "./fields.ts";
import {
  type UsageDimension,
  RANKED_MEASURES,
  type LargestGroups,
  type CostedMeasures,
  type UsageRow,
  type UsageMeasures,
  type AttributedUsage,
  type UsagePosition,
  type UsageReportQuery,
} from "../../stores/ledger/ledger-record-store.ts";
import { type Actor, accountFilter, members, NO_ACCOUNT, singleAccount, operators } from "../../access/access.ts";
import { type PageQuery, pageSchema, pageQuery, readPage, toPage } from "../paging.ts";
import { namesOf } from "../../lib/schema/infer.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import type { Platform } from "../platform.ts";

const TAG = new RegExp(TAG_NAME);

/** The filters by attribution, for usage and for the request log. */
export const attributedQuery = {
  user: {
    type: "string",
    maxLength: 1000,
    description: "Of one end user, as the client names it or as it is stored; `none` for requests without one.",
  },
  tag: { type: "string", maxLength: 200, description: "Of one value of a tag, as `NAME:VALUE`, such as `team:search`." },
  conversation: { type: "string", maxLength: 1000, description: "Of one conversation, as the client names it or as it is stored." },
  endpoint: { type: "string", enum: MODEL_ENDPOINTS, description: "Of one endpoint." },
} as const satisfies Record<string, Schema>;

type AttributedQuery = QueryOf<typeof attributedQuery>;

/** A filter by end user, tag, conversation or endpoint: the names that it accepts. */
interface AttributedFilter {
  readonly param: keyof AttributedQuery;
  readonly dimension: AttributionDimension;
  readonly names: readonly string[];
}

/**
 * The filters of a query. A filter by end user or conversation needs an account, because names belong to an account. Throws a 400 that
 * names the field.
 */
export function readAttributedFilters(query: AttributedQuery, accountId: string | undefined, hashSecret: Secret): AttributedFilter[] {
  const { user, tag, conversation, endpoint } = query;
  const identity = (param: "user" | "conversation", id: string | undefined): AttributedFilter[] => {
    if (id === undefined) return [];
    if (accountId === undefined)
      throw refusal(
        param,
        "requires an account or a key, because the names of end users and conversations are unique only within an account",
      );
    return [{ param, dimension: param, names: storedIdentities(id, param, accountId, hashSecret) }];
  };
  return [
    ...identity("user", user),
    ...(tag === undefined ? [] : [readTag(tag)]),
    ...identity("conversation", conversation),
    ...(endpoint === undefined ? [] : [readEndpoint(endpoint)]),
  ];
}

function readTag(text: string): AttributedFilter {
  const at = text.indexOf(":");
  const [name, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!TAG.test(name) || value === "") throw refusal("tag", "must be the name and the value of a tag, such as team:search");
  return { param: "tag", dimension: tagDimension(name), names: [value, storedName(value, "tag")] };
}

function readEndpoint(endpoint: ModelEndpoint): AttributedFilter {
  return { param: "endpoint", dimension: "endpoint", names: [endpointName(endpoint)] };
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_SPAN_DAYS = 30;
/** The default range by hour, because a longer one would be unreadable. */
export const DEFAULT_SPAN_HOURS = 48;
export const MAX_SPAN_DAYS = 366;

/** The time range of a report, in the calendar of a time zone. */
export interface UsageSpan {
  readonly zone: TimeZone;
  readonly fromMs: number;
  readonly toMs: number;
  /** The hours or days that overlap the range; empty without a granularity. */
  readonly buckets: readonly Bucket[];
}

interface SpanQuery {
  readonly zone?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `defaultUnit` is the granularity that determines the default range if the query has no start. */
export function readSpan(
  { zone: name = "UTC", from, to }: SpanQuery,
  unit: CalendarUnit | undefined,
  nowMs: number,
  defaultUnit = unit,
): UsageSpan {
  const zone = TimeZone.find(name);
  if (!zone) throw new ApiError("invalid_value", "zone must be the name of a time zone, such as Europe/Berlin.", { param: "zone" });
  const toMs = to === undefined ? nowMs : readMoment(to, "to", zone);
  const fromMs = from === undefined ? defaultStart(toMs, defaultUnit, zone) : readMoment(from, "from", zone);
  if (fromMs >= toMs) throw new ApiError("invalid_value", "from must be before `to`.", { param: "from" });
  // The extra half day is needed because some days are not 24 hours long.
  if (toMs - fromMs > (MAX_SPAN_DAYS + 0.5) * DAY_MS) {
    throw new ApiError("invalid_value", `from must be at most ${MAX_SPAN_DAYS} days before \`to\`.`, { param: "from" });
  }
  return { zone, fromMs, toMs, buckets: unit ? bucketsBetween(unit, fromMs, toMs, zone) : [] };
}

/** The boundaries of the buckets within the range. */
export function boundsOf({ fromMs, toMs, buckets }: UsageSpan): number[] {
  return [fromMs, ...buckets.slice(1).map((bucket) => bucket.fromMs), toMs];
}

/** A date means its first moment in the time zone. */
function readMoment(text: string, param: string, zone: TimeZone): number {
  const ms = readTime(text, param);
  return text.includes("T") ? ms : zone.startOfDay(ms);
}

/**
 * The default start of a range: whole hours, or calendar days of the zone. The last day is the day of the last moment, so that "30 days" is
 * the same range everywhere.
 */
function defaultStart(toMs: number, unit: CalendarUnit | undefined, zone: TimeZone): number {
  if (unit === "hour") return bucketAt("hour", toMs - DEFAULT_SPAN_HOURS * HOUR_MS, zone).fromMs;
  const lastMs = bucketAt("day", toMs - 1, zone).fromMs;
  const lastDateMs = Math.floor((lastMs + zone.offsetAt(lastMs)) / DAY_MS) * DAY_MS;
  return zone.startOfDay(lastDateMs - (DEFAULT_SPAN_DAYS - 1) * DAY_MS);
}

const UNITS: readonly string[] = ["hour", "day"] satisfies CalendarUnit[];
const DIMENSIONS: readonly string[] = ["model", "key", "account", "upstream"] satisfies UsageDimension[];
const ATTRIBUTIONS: readonly string[] = ["user", "conversation", "endpoint"] satisfies AttributionDimension[];
/** This group must be the only group. */
const HOUR_OF_WEEK = "hour_of_week";
const GROUPS = [...UNITS, HOUR_OF_WEEK, ...DIMENSIONS, ...ATTRIBUTIONS, "tag:NAME"];
/** The grouping of a report. */
interface UsageGroups {
  readonly unit: CalendarUnit | undefined;
  /** Whether the hours of all weeks are summed by weekday and time of day. */
  readonly isByHourOfWeek: boolean;
  readonly dimensions: readonly UsageDimension[];
  /** The dimension that `attributed` means in this report. */
  readonly attribution: AttributionDimension | undefined;
}

function readGroups(by: string, { role }: Actor): UsageGroups {
  if (by === HOUR_OF_WEEK) return { unit: "hour", isByHourOfWeek: true, dimensions: [], attribution: undefined };
  const groups = by.split(",");
  const units = groups.filter((group) => UNITS.includes(group));
  const attributions = groups.filter(isAttribution);
  const isKnown = (group: string): boolean => UNITS.includes(group) || DIMENSIONS.includes(group) || isAttribution(group);
  if (groups.length > 2 || new Set(groups).size < groups.length || !groups.every(isKnown)) {
    throw invalidGrouping(`must be one or two of ${GROUPS.join(", ")}, such as day,model`);
  }
  if (units.length > 1) throw invalidGrouping("cannot have both hour and day");
  if (groups.includes("upstream") && role !== "operator") throw invalidGrouping("cannot be upstream: only operators see upstreams");
  if (attributions.length > 1) throw invalidGrouping("can have only one of user, conversation, endpoint and a tag");
  const dimensions = groups.filter((group) => !UNITS.includes(group)).map((group) => (isAttribution(group) ? "attributed" : group));
  return {
    unit: units[0] as CalendarUnit | undefined,
    isByHourOfWeek: false,
    dimensions: dimensions as UsageDimension[],
    attribution: attributions[0],
  };
}

function isAttribution(group: string): group is AttributionDimension {
  return ATTRIBUTIONS.includes(group) || TAG.test(tagOf(group as AttributionDimension) ?? "");
}

/** The field of a row for a dimension. */
function fieldOf(dimension: UsageDimension, attribution: AttributionDimension | undefined): string {
  if (dimension !== "attributed") return dimension;
  return tagOf(attribution!) === undefined ? attribution! : "tag";
}

function invalidGrouping(problem: string): ApiError {
  return new ApiError("invalid_value", `by ${problem}.`, { param: "by" });
}

const MAX_TOP = 50;
/** All rows are on one page, so the range is limited. */
const MAX_SPAN_DAYS_BY_HOUR = 31;
const MAX_HOURS = MAX_SPAN_DAYS_BY_HOUR * 24 + 2;

const largestQuery = {
  top: {
    type: "integer",
    minimum: 1,
    maximum: MAX_TOP,
    description: `Only this number of the largest groups over the whole range; the others are one row with \`is_other\`, in each hour or day. For one grouping, or one beside \`hour\` or \`day\`, such as \`by=day,model&top=10\`. All rows are on one page, whatever \`limit\` is; by hour, the range has at most ${MAX_SPAN_DAYS_BY_HOUR} days.`,
  },
  top_by: {
    type: "string",
    enum: RANKED_MEASURES,
    description:
      "The measure by which groups are the largest: `cost` (default), `requests` including failed ones, `tokens` of prompts and responses, or `failed`.",
  },
} as const satisfies Record<string, Schema>;

type LargestQuery = QueryOf<typeof largestQuery>;

/** The largest groups of a report. Throws a 400 if the other parameters conflict. */
function readLargest(
  { top, top_by: by, order, cursor }: LargestQuery & PageQuery & { readonly order?: string },
  { unit, dimensions }: UsageGroups,
  { buckets }: UsageSpan,
): LargestGroups | undefined {
  if (top === undefined) {
    if (by !== undefined) throw refusal("top_by", "needs top");
    return undefined;
  }
  if (dimensions.length !== 1) throw refusal("by", "must have one grouping with top, or one beside hour or day, such as day,model");
  if (order === "cost" || cursor !== undefined) throw refusal("top", "cannot be combined with the order by cost or a cursor");
  if (unit === "hour" && buckets.length > MAX_HOURS) {
    throw refusal("from", `must be at most ${MAX_SPAN_DAYS_BY_HOUR} days before \`to\`, by hour with top`);
  }
  return { count: top, by: by ?? "cost" };
}

function refusal(param: string, problem: string): ApiError {
  return new ApiError("invalid_value", `${param} ${problem}.`, { param });
}

/** An hour of the week in the calendar of a time zone, summed over all weeks. */
interface HourOfWeek extends CostedMeasures {
  /** From 1, Monday, to 7, Sunday. */
  readonly weekday: number;
  /** From 0 to 23. */
  readonly hour: number;
}

/** Sums hours by weekday and time of day, in the order of the week. If an hour occurs twice on a day, both are included. */
function addUpHoursOfWeek(rows: readonly UsageRow[], bucketOfRow: (row: UsageRow) => Bucket): HourOfWeek[] {
  const hours = new Map<number, HourOfWeek>();
  for (const { fromMs, names, ...measures } of rows) {
    const { name } = bucketOfRow({ fromMs, names, ...measures });
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

const usageMeasures = {
  requests: {
    type: "integer",
    description: "Charged requests, including free ones and streams that were cut off after their first token.",
  },
  failed: {
    type: "integer",
    description: "Admitted requests without a response. They are free of charge, and not included in `requests`.",
  },
  prompt_tokens: { type: "integer" },
  cached_tokens: { type: "integer", description: "Prompt tokens that the upstream read from its cache." },
  cache_write_tokens: { type: "integer", description: "Prompt tokens that the upstream wrote to its cache." },
  completion_tokens: { type: "integer" },
  reasoning_tokens: { type: "integer", description: "Reasoning tokens among the completion tokens." },
  cost: { type: "string", description: "The charges in dollars." },
  uncharged: { type: "string", description: "The part of the cost that was not charged, in dollars." },
} as const satisfies Record<string, Schema>;

const NAMES = "; `none` without one, `other` beyond the limit of names per day, and `erased`.";

/** The names in a row of a report. */
const groupSchemas = {
  hour: {
    type: "string",
    description:
      "The hour, with `by=hour`, such as 2027-10-31T02:00+02:00 in the time zone. An hour that occurs twice differs in its offset.",
  },
  day: { type: "string", description: "The day, with `by=day`, such as 2027-01-31 in the time zone." },
  weekday: { type: "integer", description: "With `by=hour_of_week`: the day of the week in the time zone, from 1 (Monday) to 7 (Sunday)." },
  hour_of_day: { type: "integer", description: "With `by=hour_of_week`: the hour of that day, from 0 to 23." },
  is_other: {
    type: "boolean",
    description: "Present and true in the row of the groups that are not among the largest, with `top`. It has no name.",
  },
  is_partial: {
    type: "boolean",
    description: "Whether the row covers only a part of the hour or day: it has not ended, or `from` or `to` is within it.",
  },
  model: { type: "string", description: "The model, with `by=model`." },
  key: { type: "string", description: "The id of the key, with `by=key`." },
  key_name: { type: "string", nullable: true, description: "The current name of the key, with `by=key`." },
  account: { type: "string", description: "The id of the account, with `by=account`." },
  upstream: {
    type: "string",
    nullable: true,
    description: "The upstream, with `by=upstream`; null without a response. Shown to operators.",
  },
  user: { type: "string", description: `The end user, with \`by=user\`${NAMES}` },
  conversation: { type: "string", description: `The conversation, with \`by=conversation\`${NAMES}` },
  tag: { type: "string", description: `The value of the tag, with \`by=tag:NAME\`${NAMES}` },
  endpoint: { type: "string", description: "The endpoint, with `by=endpoint`." },
} as const satisfies Record<string, Schema>;

const usageRowSchema = {
  title: "UsageRow",
  type: "object",
  required: namesOf(usageMeasures),
  properties: { ...groupSchemas, ...usageMeasures },
} as const satisfies Schema;

const usagePageSchema = reportSchema("Usage", usageRowSchema, usageMeasures);

/** A page of a usage report, and its total. */
function reportSchema<const Row extends Schema, const Totals extends Readonly<Record<string, Schema>>>(
  name: string,
  row: Row,
  totals: Totals,
) {
  const page = pageSchema(`${name}Page`, row);
  return {
    ...page,
    required: [...page.required, "zone", "from", "to", "total"],
    properties: {
      ...page.properties,
      zone: { type: "string" },
      from: timeSchema,
      to: timeSchema,
      total: {
        title: `${name}Total`,
        type: "object",
        required: namesOf(totals),
        properties: totals,
        description: "The total of all pages.",
      },
    },
  } as const satisfies Schema;
}

function viewMeasures(of: UsageMeasures) {
  return {
    requests: of.requests,
    failed: of.failed,
    prompt_tokens: of.promptTokens,
    cached_tokens: of.cachedTokens,
    cache_write_tokens: of.cacheWriteTokens,
    completion_tokens: of.completionTokens,
    reasoning_tokens: of.reasoningTokens,
    cost: formatDollars(of.costNanos),
    uncharged: formatDollars(of.unchargedNanos),
  };
}

/** The parameters of usage reports. */
const usageQuery = {
  by: {
    type: "string",
    description:
      "Grouping: `hour` or `day`, `model`, `key`, `account`, `user`, `conversation`, `endpoint`, a tag such as `tag:team`, or, for operators, `upstream`; or two of them, separated by a comma; or `hour_of_week` alone: weekday and hour of the day, over all weeks of the range. Default: `model`. By end user, conversation and tag over several accounts, rows are by account too.",
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

type UsageQuery = QueryOf<typeof usageQuery>;

/** GET /api/usage: usage aggregated from the ledger. Members see only the usage of their own account. */
export function showUsage(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/usage",
    access: members("usage:read"),
    operationId: "showUsage",
    summary: "Aggregate usage by hour, day, model, key, account, upstream, end user, conversation, endpoint or tag",
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

/** A page of a report, with these measures for each row and in total. */
async function reportUsage<View extends object>(
  { actor, query, cursors, exchange }: ReadOnlyCall<unknown, UsageQuery>,
  view: (usageMeasures: CostedMeasures) => View,
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
  // No idle timeout: the report may wait for another report.
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
    // End users, conversations and tags belong to an account, so the row names the account, even if it is the only one.
    (row) => ({
      ...(namesBelongToAccount(groups) && filter.accountId !== undefined && { account: filter.accountId }),
      ...nameRow(row, groups, span, platform),
      ...view(row),
    }),
    (row) => [bucketOf(row, span)?.fromMs ?? 0, ...row.names],
  );
  return { ...page, ...beside };
}

/** The order by cost may change between two requests: a second page would repeat rows of the first, or skip some. */
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
  // The key implies the account, which speeds up the query.
  const ofKey = keyId === undefined ? [] : [keys.find(keyId)?.accountId ?? NO_ACCOUNT];
  return { accountId: singleAccount([...accountFilter(actor, account), ...ofKey]), keyId, model };
}

/** End users, conversations and tags of two accounts are different, even if they have the same name. */
function namesBelongToAccount({ attribution }: UsageGroups): boolean {
  return attribution !== undefined && attribution !== "endpoint";
}

function withAccount(groups: UsageGroups, accountId: string | undefined): UsageGroups {
  const isOfEach = namesBelongToAccount(groups) && accountId === undefined && !groups.dimensions.includes("account");
  return isOfEach ? { ...groups, dimensions: ["account", ...groups.dimensions] } : groups;
}

/**
 * Usage can be grouped by only one of end user, conversation, endpoint and tag, and not together with upstream. Throws a 400 for other
 * combinations.
 */
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
  if (other)
    throw unsupported(other.param, `cannot be combined with ${dimension}: a report is by one of end user, conversation, endpoint and tag`);
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
    ...Object.fromEntries(
      dimensions.map((dimension, at) => {
        const field = fieldOf(dimension, attribution);
        // An empty upstream name means no upstream.
        return [field, field === "endpoint" ? endpointNamed(row.names[at]!) : row.names[at] || null];
      }),
    ),
    ...(keyAt >= 0 && { key_name: keys.find(row.names[keyAt]!)?.name ?? null }),
  };
}

const marginMeasures = {
  requests: { type: "integer", description: "Charged requests." },
  charged: { type: "string", description: "The charges for all of them, in dollars." },
  unknown_requests: {
    type: "integer",
    description: "The requests whose upstream cost is not known. They are in `requests` and `charged`, and not in the fields below.",
  },
  sold: { type: "string", description: "The charges for the requests whose upstream cost is known, in dollars." },
  upstream_cost: {
    type: "string",
    nullable: true,
    description: "What providers charge for these requests, in dollars; null if none is known.",
  },
  margin: { type: "string", nullable: true, description: "`sold` minus `upstream_cost`, in dollars; null if no cost is known." },
  margin_percent: {
    type: "number",
    nullable: true,
    description: "The margin in percent of `sold`, with two decimals; null if nothing was sold or no cost is known.",
  },
} as const satisfies Record<string, Schema>;

const marginRowSchema = {
  title: "MarginRow",
  type: "object",
  required: namesOf(marginMeasures),
  properties: { ...groupSchemas, ...marginMeasures },
} as const satisfies Schema;

/**
 * GET /api/margin: the accounts' charges, and the providers' prices for the same requests. For operators only: members must not see
 * upstream costs.
 */
export function showMargin(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/margin",
    access: operators("usage:read"),
    operationId: "showMargin",
    summary: "Compare charges with upstream costs by account, model, upstream, key, end user, conversation, endpoint, tag, hour or day",
    query: usageQuery,
    isThrottled: true,
    reply: {
      status: 200,
      description: "A page of rows by time, then by name or cost. Hours and days without usage have none.",
      json: reportSchema("Margin", marginRowSchema, marginMeasures),
    },
    run: (call) => reportUsage(call, viewMargin, platform),
  });
}

function viewMargin(of: CostedMeasures) {
  const { requests, costNanos, costedRequests, costedNanos, upstreamCostNanos } = of;
  const isKnown = costedRequests > 0;
  return {
    requests,
    charged: formatDollars(costNanos),
    unknown_requests: requests - costedRequests,
    sold: formatDollars(costedNanos),
    upstream_cost: isKnown ? formatDollars(upstreamCostNanos) : null,
    margin: isKnown ? formatDollars(costedNanos - upstreamCostNanos) : null,
    margin_percent: isKnown && costedNanos > 0n ? percentOf(costedNanos - upstreamCostNanos, costedNanos) : null,
  };
}

/** A percentage with two decimals. The amounts may exceed the exact range of a number, but their ratio does not. */
function percentOf(part: Nanos, whole: Nanos): number {
  return Number((part * 10_000n) / whole) / 100;
}
