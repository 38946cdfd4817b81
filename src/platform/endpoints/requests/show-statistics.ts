import type { RequestStatistics, RequestStatisticsQuery } from "../../../stores/request-log/request-log-store.ts";
import { accountFilter, members, singleAccount } from "../../../access/access.ts";
import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { boundsOf, DEFAULT_SPAN_DAYS, DEFAULT_SPAN_HOURS, MAX_SPAN_DAYS, readSpan, type UsageSpan } from "../usage/usage-span.ts";
import { statisticsSchema, viewMeasures } from "./statistics-view.ts";

/** The limit by hour, where there is only one page. */
const MAX_SPAN_DAYS_BY_HOUR = 31;
const MAX_HOURS = MAX_SPAN_DAYS_BY_HOUR * 24 + 2;

/** GET /api/requests/statistics: outcomes and latencies of requests over time. Members see those of their own account. */
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

/** Requests are aggregated by quarter hours. The current quarter hour counts as far as it has come. */
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
  const measures = new Map(rows.map((row) => [row.fromMs, row]));
  return span.buckets.flatMap((bucket) => {
    const row = measures.get(Math.max(bucket.fromMs, span.fromMs));
    if (!row) return [];
    const isPartial = bucket.fromMs < firstMs || bucket.toMs > endMs;
    return [{ [bucket.unit]: bucket.name, is_partial: isPartial, ...viewMeasures(row) }];
  });
}
