import type { Schema } from "../../lib/schema/schema.ts";
import { formatDollars } from "../../money/money.ts";
import type { UsageMeasures } from "../../stores/ledger/ledger-record-store.ts";
import type { KeyFigures } from "./key-records.ts";
import { MAX_TAGS, MAX_VALUES, type PeriodUsage } from "./tag-usage.ts";

const measures = {
  requests: { type: "integer", description: "Charged requests, including free ones." },
  failed: { type: "integer", description: "Admitted requests without a response, which are free of charge." },
  prompt_tokens: { type: "integer" },
  cached_tokens: { type: "integer", description: "Prompt tokens that the upstream read from its cache." },
  completion_tokens: { type: "integer" },
  reasoning_tokens: { type: "integer", description: "Reasoning tokens among the completion tokens." },
  cost: { type: "string", description: "The charges in dollars." },
} as const satisfies Record<string, Schema>;

const measuresSchema: Schema = {
  title: "KeyUsageMeasures",
  type: "object",
  description: "The usage in the calendar day or month (UTC).",
  required: Object.keys(measures),
  properties: measures,
};

/** The calendar day and month (UTC). */
const periods = { today: measuresSchema, this_month: measuresSchema };

/** The usage of the calling key. A grouping by something else is a list beside `by_model`. */
export const usageProperties: Readonly<Record<string, Schema>> = {
  ...periods,
  by_model: {
    type: "array",
    description: "The models with usage in this month.",
    items: {
      title: "KeyUsageOfModel",
      type: "object",
      required: ["model", ...Object.keys(periods)],
      properties: { model: { type: "string" }, ...periods },
    },
  },
  by_tag: {
    type: "array",
    description: `The tags with usage in this month, at most ${MAX_TAGS}, by name: the ${MAX_VALUES} most expensive values of each.`,
    items: {
      title: "KeyUsageOfTag",
      type: "object",
      required: ["tag", "value", ...Object.keys(periods)],
      properties: {
        tag: { type: "string" },
        value: { type: "string", description: "`none` for requests without the tag, `other` for values beyond the limit of a day." },
        ...periods,
      },
    },
  },
};

/** The usage alone, for the dry run. */
export const keyUsageSchema: Schema = {
  title: "KeyUsage",
  type: "object",
  required: Object.keys(usageProperties),
  properties: usageProperties,
};

export function viewUsage({ total, byModel, byTag }: KeyFigures): Record<string, unknown> {
  return {
    ...viewPeriods(total),
    by_model: byModel.map(({ model, ...periodsOf }) => ({ model, ...viewPeriods(periodsOf) })),
    by_tag: byTag.map(({ tag, value, ...periodsOf }) => ({ tag, value, ...viewPeriods(periodsOf) })),
  };
}

function viewPeriods({ today, thisMonth }: PeriodUsage): Record<string, unknown> {
  return { today: viewMeasures(today), this_month: viewMeasures(thisMonth) };
}

function viewMeasures(of: UsageMeasures): Record<keyof typeof measures, string | number> {
  return {
    requests: of.requests,
    failed: of.failed,
    prompt_tokens: of.promptTokens,
    cached_tokens: of.cachedTokens,
    completion_tokens: of.completionTokens,
    reasoning_tokens: of.reasoningTokens,
    cost: formatDollars(of.costNanos),
  };
}
