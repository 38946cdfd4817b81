import type { RequestMeasures } from "../../../stores/request-log/request-log-store.ts";
import { OUTCOMES } from "../../../requests/logged-request.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema } from "../fields/times.ts";

/** As many as can be told apart at a glance. */
const MAX_CODES = 10;

const quantilesSchema: Schema = {
  title: "Quantiles",
  type: "object",
  nullable: true,
  description:
    "Milliseconds that half, 95 and 99 % took at most, to 5 %: complete answers (`duration_ms`), or streams until their first piece (`first_token_ms`). Null where there are none.",
  required: ["p50", "p95", "p99"],
  properties: { p50: { type: "number" }, p95: { type: "number" }, p99: { type: "number" } },
};

const measures = {
  requests: { type: "integer", description: "Those that have ended, however they came out." },
  succeeded: { type: "integer", description: "Requests that returned what was requested: `complete`, `replayed` and `dry_run`." },
  outcomes: {
    title: "OutcomeCounts",
    type: "object",
    required: OUTCOMES,
    properties: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, { type: "integer" } as const])),
    description: "How many came out so.",
  },
  codes: {
    type: "array",
    items: {
      title: "CodeCount",
      type: "object",
      required: ["code", "requests"],
      properties: { code: { type: "string" }, requests: { type: "integer" } },
    },
    description: `The codes of errors, the most frequent first, ${MAX_CODES} at most.`,
  },
  duration_ms: quantilesSchema,
  first_token_ms: quantilesSchema,
} as const satisfies Record<string, Schema>;

const rowSchema: Schema = {
  title: "StatisticsRow",
  type: "object",
  required: ["is_partial", ...Object.keys(measures)],
  properties: {
    hour: {
      type: "string",
      description: "By hour: such as 2027-10-31T02:00+02:00, of the zone. One that comes twice differs in its offset.",
    },
    day: { type: "string", description: "By day: such as 2027-01-31, of the zone." },
    is_partial: {
      type: "boolean",
      description:
        "Whether a part of it is not in the row: it is not over yet, `from` or `to` is within it, or the log does not go back that far.",
    },
    ...measures,
  },
};

export const statisticsSchema: Schema = {
  title: "RequestStatistics",
  type: "object",
  required: ["zone", "by", "from", "to", "kept_from", "total", "data"],
  properties: {
    zone: { type: "string" },
    by: { type: "string", nullable: true, enum: ["hour", "day"] },
    from: { ...timeSchema, description: "What was asked for, from the beginning of a quarter hour on." },
    to: { ...timeSchema, description: "What was asked for, up to the end of a quarter hour." },
    kept_from: { ...timeSchema, nullable: true, description: "The beginning of the first day that is in the log; null where none is." },
    total: { title: "StatisticsTotal", type: "object", required: Object.keys(measures), properties: measures },
    data: { type: "array", items: rowSchema, description: "In order. Hours and days without requests have none." },
  },
};

export function viewMeasures({
  requests,
  outcomes,
  codes,
  durationMs,
  firstTokenMs,
}: RequestMeasures): Record<keyof typeof measures, unknown> {
  return {
    requests,
    succeeded: outcomes.complete + outcomes.replayed + outcomes.dry_run,
    outcomes,
    codes: [...codes].slice(0, MAX_CODES).map(([code, count]) => ({ code, requests: count })),
    duration_ms: durationMs,
    first_token_ms: firstTokenMs,
  };
}
