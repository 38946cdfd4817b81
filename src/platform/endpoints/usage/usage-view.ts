import { namesOf } from "../../../lib/schema/infer.ts";
import type { UsageMeasures } from "../../../stores/ledger/ledger-record-store.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { pageSchema } from "../../paging.ts";
import { timeSchema } from "../fields/times.ts";

const measures = {
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

/** The names of a row of a report. */
export const groupSchemas = {
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
} as const satisfies Record<string, Schema>;

const rowSchema = {
  title: "UsageRow",
  type: "object",
  required: namesOf(measures),
  properties: { ...groupSchemas, ...measures },
} as const satisfies Schema;

export const usagePageSchema = reportSchema("Usage", rowSchema, measures);

/** A page of a report about usage, and its total. */
export function reportSchema<const Row extends Schema, const Totals extends Readonly<Record<string, Schema>>>(
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

export function viewMeasures(of: UsageMeasures) {
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
