import type { RequestStatistics, StatisticsQuestion } from "../../../stores/request-log/request-log-store.ts";
import { accountsInReach, members, oneOf } from "../../../access/access.ts";
import { QUARTER_MS, type CalendarUnit } from "../../../lib/time/calendar.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { boundsOf, DEFAULT_SPAN_DAYS, DEFAULT_SPAN_HOURS, MAX_SPAN_DAYS, readSpan, type UsageSpan } from "../usage/usage-span.ts";
import { statisticsSchema, viewMeasures } from "./statistics-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

interface StatisticsQuery {
  readonly by?: CalendarUnit;
  readonly account?: string;
  readonly model?: string;
  readonly zone?: string;
  readonly from?: string;
  readonly to?: string;
}

/** By hour: there is one page. */
const MAX_SPAN_DAYS_BY_HOUR = 31;
const MAX_HOURS = MAX_SPAN_DAYS_BY_HOUR * 24 + 2;

/** GET /api/requests/statistics: how requests came out over time, and how long they took. A member sees that of the own account. */
export function showStatistics(platform: Platform): Operation {
  return operation<undefined, StatisticsQuery>({
    method: "GET",
    path: "/api/requests/statistics",
    access: members("usage:read"),
    operationId: "showStatistics",
    summary: "Adds up how requests came out and how long they took, by hour or day.",
    query: {
      by: { type: "string", enum: ["hour", "day"], description: "What each row is about. There is only `total`, if it is left out." },
      account: { type: "string", description: "Those of one account." },
      model: { type: "string", description: "Those for one model, as the caller named it." },
      zone: { type: "string", maxLength: 100, description: "Whose days and hours: such as Europe/Berlin. `UTC`, if it is left out." },
      from: {
        type: "string",
        description: `From this moment, or this day of the zone, on: ${DEFAULT_SPAN_DAYS} days before \`to\`, by hour ${DEFAULT_SPAN_HOURS} hours, if it is left out.`,
      },
      to: {
        type: "string",
        description: `Before this moment, or this day of the zone: now, if it is left out. ${MAX_SPAN_DAYS} days after \`from\` at most, by hour ${MAX_SPAN_DAYS_BY_HOUR}.`,
      },
    },
    isThrottled: true,
    reply: { status: 200, description: "What the log has of that, in quarter hours.", json: statisticsSchema },
    async run({ actor, query }) {
      const { by, model } = query;
      const nowMs = platform.nowMs();
      const asked = readSpan(query, by, nowMs);
      if (by === "hour" && asked.buckets.length > MAX_HOURS) {
        const message = `by hour, from must be at most ${MAX_SPAN_DAYS_BY_HOUR} days before \`to\`.`;
        throw new GatewayError("invalid_value", message, { param: "from" });
      }
      const span = inQuarters(asked, nowMs);
      const bounds = boundsOf({ ...span, toMs: endOfQuarter(span.toMs) });
      const question: StatisticsQuestion = { bounds, accountId: oneOf(accountsInReach(actor, query.account)), model };
      const statistics = await platform.fewAtATime.run(actor, "request statistic", () => platform.requestLog.statistics(question));
      return Reply.json({
        zone: span.zone.name,
        by: by ?? null,
        from: viewTime(span.fromMs),
        to: viewTime(span.toMs),
        kept_from: viewTime(statistics.keptFromMs),
        total: viewMeasures(statistics.total),
        data: by ? viewRows(statistics, span, nowMs) : [],
      });
    },
  });
}

/** Requests are added up by quarter hours. Of the one that is not over, all is told that has come. */
function inQuarters(span: UsageSpan, nowMs: number): UsageSpan {
  const fromMs = Math.floor(span.fromMs / QUARTER_MS) * QUARTER_MS;
  const endMs = endOfQuarter(span.toMs);
  return { ...span, fromMs, toMs: endMs <= nowMs ? endMs : Math.max(span.toMs, nowMs) };
}

function endOfQuarter(ms: number): number {
  return Math.ceil(ms / QUARTER_MS) * QUARTER_MS;
}

function viewRows({ rows, keptFromMs }: RequestStatistics, span: UsageSpan, nowMs: number): object[] {
  const firstMs = Math.max(span.fromMs, keptFromMs ?? 0);
  const endMs = Math.min(span.toMs, nowMs);
  const measures = new Map(rows.map((row) => [row.fromMs, row]));
  return span.buckets.flatMap((bucket) => {
    const row = measures.get(Math.max(bucket.fromMs, span.fromMs));
    if (!row) return [];
    const isPartial = bucket.fromMs < firstMs || bucket.toMs > endMs;
    return [{ [bucket.unit]: bucket.name, is_partial: isPartial, ...viewMeasures(row) }];
  });
}
