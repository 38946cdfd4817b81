import type { UsageMeasures } from "../../../stores/ledger/ledger-store.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { pageSchema } from "../../paging.ts";
import { timeSchema } from "../fields/times.ts";

const measures = {
  requests: {
    type: "integer",
    description: "Those that were answered, and charged, if only with nothing; also where the answer broke off after its first words.",
  },
  failed: { type: "integer", description: "Others, that were let in and got no answer. They cost nothing, and are not among `requests`." },
  prompt_tokens: { type: "integer" },
  cached_tokens: { type: "integer", description: "Those of the prompt that the upstream had cached." },
  cache_write_tokens: { type: "integer", description: "Those of the prompt that it put into its cache." },
  completion_tokens: { type: "integer" },
  reasoning_tokens: { type: "integer", description: "Those of the completion that were reasoning." },
  cost: { type: "string", description: "What was charged, in dollars." },
  uncharged: { type: "string", description: "What answers cost beyond that, in dollars." },
} as const satisfies Record<string, Schema>;

const rowSchema: Schema = {
  title: "UsageRow",
  type: "object",
  required: Object.keys(measures),
  properties: {
    hour: {
      type: "string",
      description: "By hour: such as 2027-10-31T02:00+02:00, of the zone. One that comes twice differs in its offset.",
    },
    day: { type: "string", description: "By day: such as 2027-01-31, of the zone." },
    is_partial: {
      type: "boolean",
      description: "By hour or day: whether a part of that is not in the row, because it is not over yet, or `from` or `to` is within it.",
    },
    model: { type: "string", description: "By model." },
    key: { type: "string", description: "By key: its id." },
    key_name: { type: "string", nullable: true, description: "By key: what it is called now." },
    account: { type: "string", description: "By account: its id." },
    upstream: { type: "string", nullable: true, description: "By upstream; null where none has answered. Shown to operators." },
    ...measures,
  },
};

const page = pageSchema("UsagePage", rowSchema);

export const usagePageSchema: Schema = {
  ...page,
  required: [...page.required!, "zone", "from", "to", "total"],
  properties: {
    ...page.properties,
    zone: { type: "string" },
    from: timeSchema,
    to: timeSchema,
    total: { title: "UsageTotal", type: "object", required: Object.keys(measures), properties: measures, description: "Of all pages." },
  },
};

export function viewMeasures(of: UsageMeasures): Record<keyof typeof measures, string | number> {
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
