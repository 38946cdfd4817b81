import { namesOf } from "../../../lib/schema/infer.ts";
import type { RequestMeasures } from "../../../stores/request-log/request-log-store.ts";
import { OUTCOMES } from "../../../requests/logged-request.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema } from "../fields/times.ts";

/** The number of most frequent error codes that are listed. */
const MAX_CODES = 10;

const quantilesSchema = {
  title: "Quantiles",
  type: "object",
  nullable: true,
  description:
    "The 50th, 95th and 99th percentile in milliseconds, to 5 %: of complete responses (`duration_ms`), or of streams until the first token (`first_token_ms`). Null without any.",
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

export const statisticsSchema = {
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

export function viewMeasures({ requests, outcomes, codes, durationMs, firstTokenMs }: RequestMeasures) {
  return {
    requests,
    succeeded: outcomes.complete + outcomes.replayed + outcomes.dry_run,
    outcomes,
    codes: [...codes].slice(0, MAX_CODES).map(([code, count]) => ({ code, requests: count })),
    duration_ms: durationMs,
    first_token_ms: firstTokenMs,
  };
}
