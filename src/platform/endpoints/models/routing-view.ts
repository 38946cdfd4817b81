import { parameterPolicySchema, unknownParametersSchema } from "../../../models/parameters/parameter-policy.ts";
import { priceSchema } from "./price-view.ts";
import { EXCLUSIONS } from "../../../models/route-exclusion.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

export const forOperators = "Shown to operators.";

const dollars: Schema = { type: "number", nullable: true };
const ms: Schema = { type: "integer", description: "Milliseconds." };

const routeSchema: Schema = {
  title: "Route",
  type: "object",
  required: ["upstream", "model", "priority", "weight", "max_price", "cost", "left_out"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream's own name for it." },
    priority: { type: "integer", description: "Routes of the lowest number go first; the others are for when those fail." },
    weight: { type: "integer", description: "Its share among those of the same priority; 0 where it is drained and gets no calls." },
    max_price: {
      title: "PriceCapOrNull",
      type: "object",
      nullable: true,
      description: "What the provider may publish at most for it to be used, in dollars per million tokens.",
      properties: { input_per_million: dollars, output_per_million: dollars },
    },
    cost: {
      ...priceSchema,
      title: "RouteCost",
      nullable: true,
      description: "What the provider charges you; null where that is its list price, or not known.",
    },
    left_out: {
      type: "string",
      nullable: true,
      enum: EXCLUSIONS,
      description: "Why it is not used, where its weight of 0 or its `max_price` is the reason.",
    },
  },
};

/** How a model's calls are routed and kept, as it is shown. */
export const routingSchemas = {
  routes: { type: "array", items: routeSchema, description: `Where it is served, and under which name. ${forOperators}` },
  parameters: { ...parameterPolicySchema, description: `What becomes of parameters, by their names. ${forOperators}` },
  unknown_parameters: {
    ...unknownParametersSchema,
    nullable: true,
    description: `What becomes of unknown parameters; null for as the upstream has it. ${forOperators}`,
  },
  timeouts: {
    title: "Timeouts",
    type: "object",
    description: `Those in the place of the upstream's. ${forOperators}`,
    properties: { connect_ms: ms, first_byte_ms: ms, between_chunks_ms: ms, total_ms: ms },
  },
  sticky: {
    type: "boolean",
    nullable: true,
    description: `Whether a conversation stays at one upstream; null for where cached input is cheaper. ${forOperators}`,
  },
  cache: {
    title: "ResponseCacheOrNull",
    type: "object",
    nullable: true,
    description: `How answers are kept for the same request again; null where they are not. ${forOperators}`,
    properties: { ttl_seconds: { type: "integer" }, price_percent: { type: "integer" } },
  },
} as const satisfies Record<string, Schema>;
