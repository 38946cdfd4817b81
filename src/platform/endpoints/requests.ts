import { mayAccess, type Actor, members, operators, accountFilter, singleAccount } from "../../access/access.ts";
import { ApiError } from "../../requests/api-error.ts";
import { type LoggedRequest, OUTCOMES } from "../../requests/logged-request.ts";
import type { Platform } from "../platform.ts";
import {
  MAX_SORTED,
  type AmountOrder,
  type LogPosition,
  type PositionedRequest,
  type SortedRequest,
  type RequestMeasures,
  type RequestStatistics,
  type RequestStatisticsQuery,
} from "../../stores/request-log/request-log-store.ts";
import { operation, type Operation, type QueryOf, type QuerySchemas } from "../operation.ts";
import type { Cursors } from "../cursors.ts";
import { pageQuery, pageSchema, readPage, toPage, type Position } from "../paging.ts";
import { mirrorsFor, requestSchema, viewRequest, requestInFullSchema, viewAttempt } from "./request-view.ts";
import { readRequestFilter, requestQuery } from "./request-filter.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { namesOf } from "../../lib/schema/infer.ts";
import { timeSchema, viewTime } from "./fields.ts";
import { QUARTER_MS } from "../../lib/time/calendar.ts";
import { boundsOf, DEFAULT_SPAN_DAYS, DEFAULT_SPAN_HOURS, MAX_SPAN_DAYS, readSpan, type UsageSpan } from "./usage.ts";

/** A request that the actor may see. A request of another account is reported as not found. */
async function findRequest(requestId: string, actor: Actor, { requestLog }: Platform): Promise<LoggedRequest> {
  const request = await requestLog.find(requestId);
  if (request && canSee(request, actor)) return request;
  throw new ApiError("unknown_request", "The request log has no request with this id. It may be too old, or still in flight.");
}

/** A request without a valid key belongs to no account, and only operators see it. */
function canSee({ accountId }: LoggedRequest, actor: Actor): boolean {
  return accountId === null ? actor.role === "operator" : mayAccess(actor, accountId);
}

const requestPage = pageSchema("RequestPage", requestSchema);

const followedPage = {
  ...requestPage,
  required: [...requestPage.required, "newer"],
  properties: {
    ...requestPage.properties,
    newer: {
      type: "string",
      nullable: true,
      description:
        "The `cursor` for later requests, with `order=oldest`; null when a single request was requested by id, or with a `sort` other than `time`.",
    },
  },
} as const;

/** The position before all requests. */
const START: LogPosition = { day: "", row: 0 };

const NONE = { data: [], next: null, newer: null };

const listQuery = {
  ...requestQuery,
  request_id: { type: "string", description: "The request with this id. Other filters are ignored." },
  sort: {
    type: "string",
    enum: ["time", "cost", "duration", "tokens"],
    description: `What to sort by: \`time\` (default), or an amount, if at most about ${MAX_SORTED.toLocaleString("en")} requests have to be read. Requests without the amount come last.`,
  },
  order: {
    type: "string",
    enum: ["newest", "oldest", "highest", "lowest"],
    description: "By time `newest` (default) or `oldest` first; by an amount `highest` (default) or `lowest`.",
  },
  ...pageQuery,
} as const satisfies QuerySchemas;

type ListQuery = QueryOf<typeof listQuery>;

/** GET /api/requests: a page of the request log. Members see the requests of their own account. */
export function listRequests(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests",
    access: members("usage:read"),
    operationId: "listRequests",
    summary: "List requests by the time they ended, newest first, or by cost, duration or tokens",
    query: listQuery,
    isThrottled: true,
    reply: { status: 200, description: "A page of requests.", json: followedPage },
    async run({ actor, query, cursors }) {
      if (query.request_id !== undefined) return listOne(query.request_id, actor, platform);
      const order = readAmountOrder(query);
      if (order) return listSorted(order, query, actor, cursors, platform);
      const { limit, after } = readPage(query, cursors, ["string", "number"]);
      const filter = readRequestFilter(query, actor, platform);
      if (!filter) return NONE;
      const from = after && toPlace(after);
      const isForward = query.order === "oldest";
      // The end is read first: requests that end between the two reads come after this position, and are not skipped.
      const end = from && !isForward ? undefined : await endOf(platform);
      const found = await platform.requestLog.list(filter, from, isForward ? "newer" : "older", limit + 1);
      const shown = found.slice(0, limit);
      const next = found.length > limit ? shown.at(-1)!.position : undefined;
      const newer = isForward ? (next ?? laterOf(shown.at(-1)?.position ?? from, end)) : laterOf(shown[0]?.position ?? from, end);
      const mirrors = await mirrorsFor(actor, requestsIn(shown), platform);
      const seal = ({ day, row }: LogPosition): string => cursors.seal([day, row]);
      return {
        data: shown.map(({ request }) => viewRequest(request, actor, platform, mirrors)),
        next: next ? seal(next) : null,
        // Set even for an empty log: members must not learn whether other accounts have made requests.
        newer: seal(newer ?? START),
      };
    },
  });
}

/** The order if the list is sorted by an amount. Undefined if it is sorted by time. */
function readAmountOrder({ sort = "time", order }: ListQuery): AmountOrder | undefined {
  const allowed = sort === "time" ? ["newest", "oldest"] : ["highest", "lowest"];
  if (order !== undefined && !allowed.includes(order)) {
    throw new ApiError("invalid_value", `order must be ${allowed.join(" or ")} when requests are sorted by ${sort}.`, { param: "order" });
  }
  return sort === "time" ? undefined : { by: sort, direction: order === "lowest" ? "lowest" : "highest" };
}

async function listSorted(order: AmountOrder, query: ListQuery, actor: Actor, cursors: Cursors, platform: Platform) {
  const { limit, after } = readPage(query, cursors, ["string", "number", "number"]);
  const filter = readRequestFilter(query, actor, platform);
  if (!filter) return NONE;
  const from = after && { position: toPlace([after[0], after[1]]), amount: after[2] };
  const found = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.listSorted(filter, order, from, limit + 1));
  if (!found) {
    const message = `sort by ${order.by} can read about ${MAX_SORTED.toLocaleString("en")} requests, and these are more. Choose a shorter time with \`from\` and \`to\`, or more filters.`;
    throw new ApiError("invalid_value", message, { param: "sort" });
  }
  const mirrors = await mirrorsFor(actor, requestsIn(found), platform);
  const page = toPage(cursors, found, limit, ({ request }) => viewRequest(request, actor, platform, mirrors), sortedPosition);
  return { ...page, newer: null };
}

function sortedPosition({ position: { day, row }, amount }: SortedRequest): Position {
  return [day, row, amount];
}

async function listOne(requestId: string, actor: Actor, platform: Platform) {
  const request = await platform.requestLog.find(requestId);
  if (!request || !canSee(request, actor)) return NONE;
  const mirrors = await mirrorsFor(actor, [request], platform);
  return { ...NONE, data: [viewRequest(request, actor, platform, mirrors)] };
}

function requestsIn(found: readonly PositionedRequest[]): LoggedRequest[] {
  return found.map(({ request }) => request);
}

/** The current end of the log, regardless of the filter. A client that follows the log then need not scan skipped requests again. */
async function endOf({ requestLog }: Platform): Promise<LogPosition | undefined> {
  const [newest]: readonly PositionedRequest[] = await requestLog.list({}, undefined, "older", 1);
  return newest?.position;
}

function laterOf(one: LogPosition | undefined, other: LogPosition | undefined): LogPosition | undefined {
  if (!one || !other) return one ?? other;
  const isLater = one.day === other.day ? one.row > other.row : one.day > other.day;
  return isLater ? one : other;
}

function toPlace([day, row]: readonly [string, number]): LogPosition {
  if (Number.isSafeInteger(row)) return { day, row };
  throw new ApiError("invalid_value", "cursor must be the next of an earlier page.", { param: "cursor" });
}

const countSchema = {
  title: "RequestCount",
  type: "object",
  required: ["count", "is_exact"],
  properties: {
    count: { type: "integer", description: "The number of matching requests." },
    is_exact: { type: "boolean", description: "False if there may be more: the newest were read, and the count was stopped." },
  },
} as const satisfies Schema;

/** GET /api/requests/count: the number of requests in the list. */
export function countRequests(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/count",
    access: members("usage:read"),
    operationId: "countRequests",
    summary: `Count requests: exactly by account, model and time, otherwise among the newest ${MAX_SORTED.toLocaleString("en")} or so`,
    query: requestQuery,
    isThrottled: true,
    reply: { status: 200, description: "The count.", json: countSchema },
    async run({ actor, query }) {
      const filter = readRequestFilter(query, actor, platform);
      if (!filter) return { count: 0, is_exact: true };
      const { count, isExact } = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.count(filter));
      return { count, is_exact: isExact };
    },
  });
}

/** GET /api/requests/:requestId: the request log's record of one request. */
export function showRequest(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/:requestId",
    access: members("usage:read"),
    operationId: "showRequest",
    summary: "Show a request: its outcome, its attempts, and the time each part took",
    reply: { status: 200, description: "The request.", json: requestInFullSchema },
    async run({ actor, param }) {
      const request = await findRequest(param("requestId"), actor, platform);
      const { requestId, attempts } = request;
      const hasReceipt = (await platform.ledgerRecords.findRequest(requestId)) !== undefined;
      const mirrors = await mirrorsFor(actor, [request], platform);
      const view = { ...viewRequest(request, actor, platform, mirrors), receipt: hasReceipt ? `/api/receipts/${requestId}` : null };
      if (actor.role !== "operator") return view;
      const hasBodies = await platform.requestLog.hasBodies(requestId);
      const bodies = hasBodies ? `/api/requests/${requestId}/bodies` : null;
      return { ...view, trace_id: request.traceId, all_attempts: attempts.map(viewAttempt), bodies };
    },
  });
}

const bodiesSchema = {
  title: "RequestBodies",
  type: "object",
  required: ["request_id", "request", "reply", "truncated"],
  properties: {
    request_id: { type: "string" },
    request: { type: "string", nullable: true, description: "The request body." },
    reply: { type: "string", nullable: true, description: "The response body: JSON, or the events of a stream." },
    truncated: { type: "boolean", description: "Whether either body was truncated because of its size." },
  },
} as const satisfies Schema;

/**
 * GET /api/requests/:requestId/bodies: the logged prompt and response, if the account has prompt and response logging. Access is audited.
 */
export function showBodies(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/:requestId/bodies",
    access: operators("bodies:read"),
    operationId: "showBodies",
    summary: "Show the logged prompt and response. Access is recorded in the audit log.",
    reply: { status: 200, description: "The bodies.", json: bodiesSchema },
    async run({ actor, param, change }) {
      const { requestId, accountId } = await findRequest(param("requestId"), actor, platform);
      const bodies = await platform.requestLog.bodiesOf(requestId);
      if (!bodies) throw new ApiError("unknown_request", "The prompt and response of this request were not logged.");
      const looked = change("request.read_bodies", { kind: "request", id: requestId }, { before: null, after: null, accountId });
      await platform.auditLog.add(looked);
      return { request_id: requestId, request: bodies.request, reply: bodies.reply, truncated: bodies.isCut };
    },
  });
}

/** The maximum number of error codes in the list, most frequent first. */
const MAX_CODES = 10;

const quantilesSchema = {
  title: "Quantiles",
  type: "object",
  nullable: true,
  description:
    "The 50th, 95th and 99th percentile in milliseconds, with an error of at most 5 %: the duration of complete responses (`duration_ms`), or the time to first token of streams (`first_token_ms`). Null if there are none.",
  required: ["p50", "p95", "p99"],
  properties: { p50: { type: "number" }, p95: { type: "number" }, p99: { type: "number" } },
} as const satisfies Schema;

const measures = {
  requests: { type: "integer", description: "The number of ended requests, whatever their outcome." },
  succeeded: { type: "integer", description: "Requests that returned what was requested: `complete`, `replayed` and `dry_run`." },
  outcomes: {
    title: "OutcomeCounts",
    type: "object",
    required: OUTCOMES,
    properties: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, { type: "integer" } as const])),
    description: "The number of requests by outcome.",
  },
  codes: {
    type: "array",
    items: {
      title: "CodeCount",
      type: "object",
      required: ["code", "requests"],
      properties: { code: { type: "string" }, requests: { type: "integer" } },
    },
    description: `The most frequent error codes, at most ${MAX_CODES}.`,
  },
  duration_ms: quantilesSchema,
  first_token_ms: quantilesSchema,
} as const satisfies Record<string, Schema>;

const rowSchema = {
  title: "StatisticsRow",
  type: "object",
  required: ["is_partial", ...namesOf(measures)],
  properties: {
    hour: {
      type: "string",
      description:
        "The hour, with `by=hour`, such as 2027-10-31T02:00+02:00 in the time zone. An hour that occurs twice differs in its offset.",
    },
    day: { type: "string", description: "The day, with `by=day`, such as 2027-01-31 in the time zone." },
    is_partial: {
      type: "boolean",
      description:
        "Whether the row covers only a part of the hour or day: it has not ended, `from` or `to` is within it, or it is before the retention of the log.",
    },
    ...measures,
  },
} as const satisfies Schema;

const statisticsSchema = {
  title: "RequestStatistics",
  type: "object",
  required: ["zone", "by", "from", "to", "retained_from", "total", "data"],
  properties: {
    zone: { type: "string" },
    by: { type: "string", nullable: true, enum: ["hour", "day"] },
    from: { ...timeSchema, description: "The start, rounded down to a quarter hour." },
    to: { ...timeSchema, description: "The end, rounded up to a quarter hour." },
    retained_from: { ...timeSchema, nullable: true, description: "The start of the first retained day; null when the log is empty." },
    total: { title: "StatisticsTotal", type: "object", required: namesOf(measures), properties: measures },
    data: { type: "array", items: rowSchema, description: "Rows in chronological order. Hours and days without requests have none." },
  },
} as const satisfies Schema;

function viewMeasures({ requests, outcomes, codes, durationMs, firstTokenMs }: RequestMeasures) {
  return {
    requests,
    succeeded: outcomes.complete + outcomes.replayed + outcomes.dry_run,
    outcomes,
    codes: [...codes].slice(0, MAX_CODES).map(([code, count]) => ({ code, requests: count })),
    duration_ms: durationMs,
    first_token_ms: firstTokenMs,
  };
}

/** The maximum range by hour, because there is only one page. */
const MAX_SPAN_DAYS_BY_HOUR = 31;
const MAX_HOURS = MAX_SPAN_DAYS_BY_HOUR * 24 + 2;

/** GET /api/requests/statistics: outcomes and latencies of requests over time. Members see only the requests of their own account. */
export function showStatistics(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/statistics",
    access: members("usage:read"),
    operationId: "showStatistics",
    summary: "Aggregate outcomes and latencies of requests, by hour or day",
    query: {
      by: { type: "string", enum: ["hour", "day"], description: "The granularity of the rows. Default: no rows, only `total`." },
      account: { type: "string", description: "Requests of one account." },
      model: { type: "string", description: "Requests for one model, as named in the request." },
      zone: { type: "string", maxLength: 100, description: "The time zone of days and hours, such as Europe/Berlin. Default: `UTC`." },
      from: {
        type: "string",
        description: `Start time, or day in the time zone. Default: ${DEFAULT_SPAN_DAYS} calendar days of the time zone, including the day of \`to\`; by hour ${DEFAULT_SPAN_HOURS} hours.`,
      },
      to: {
        type: "string",
        description: `End time (exclusive), or day in the time zone. Default: now. At most ${MAX_SPAN_DAYS} days after \`from\`, by hour ${MAX_SPAN_DAYS_BY_HOUR}.`,
      },
    },
    isThrottled: true,
    reply: { status: 200, description: "Statistics from the request log, in quarter hours.", json: statisticsSchema },
    async run({ actor, query }) {
      const { by, model } = query;
      const nowMs = platform.nowMs();
      const asked = readSpan(query, by, nowMs);
      if (by === "hour" && asked.buckets.length > MAX_HOURS) {
        const message = `by hour, from must be at most ${MAX_SPAN_DAYS_BY_HOUR} days before \`to\`.`;
        throw new ApiError("invalid_value", message, { param: "from" });
      }
      const span = inQuarters(asked, nowMs);
      const bounds = boundsOf({ ...span, toMs: endOfQuarter(span.toMs) });
      const question: RequestStatisticsQuery = { bounds, accountId: singleAccount(accountFilter(actor, query.account)), model };
      const statistics = await platform.reportLimit.run(actor, "request statistic", () => platform.requestLog.statistics(question));
      return {
        zone: span.zone.name,
        by: by ?? null,
        from: viewTime(span.fromMs),
        to: viewTime(span.toMs),
        retained_from: viewTime(statistics.retainedFromMs),
        total: viewMeasures(statistics.total),
        data: by ? viewRows(statistics, span, nowMs) : [],
      };
    },
  });
}

/** Requests are aggregated by quarter hours. The current quarter hour counts up to now. */
function inQuarters(span: UsageSpan, nowMs: number): UsageSpan {
  const fromMs = Math.floor(span.fromMs / QUARTER_MS) * QUARTER_MS;
  const endMs = endOfQuarter(span.toMs);
  return { ...span, fromMs, toMs: endMs <= nowMs ? endMs : Math.max(span.toMs, nowMs) };
}

function endOfQuarter(ms: number): number {
  return Math.ceil(ms / QUARTER_MS) * QUARTER_MS;
}

function viewRows({ rows, retainedFromMs }: RequestStatistics, span: UsageSpan, nowMs: number) {
  const firstMs = Math.max(span.fromMs, retainedFromMs ?? 0);
  const endMs = Math.min(span.toMs, nowMs);
  const rowsByTime = new Map(rows.map((row) => [row.fromMs, row]));
  return span.buckets.flatMap((bucket) => {
    const row = rowsByTime.get(Math.max(bucket.fromMs, span.fromMs));
    if (!row) return [];
    const isPartial = bucket.fromMs < firstMs || bucket.toMs > endMs;
    return [{ [bucket.unit]: bucket.name, is_partial: isPartial, ...viewMeasures(row) }];
  });
}
