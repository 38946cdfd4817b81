import { modelProperties } from "../../models/declared-model.ts";
import { declaredRoutesSchema } from "../../models/declared-route.ts";
import { declaredTimeoutsSchema } from "../../models/timeouts.ts";
import { allNullable, nullable } from "../../lib/schema/infer.ts";
import type { Schema } from "../../lib/schema/schema.ts";

const route = declaredRoutesSchema.items;
const { max_price: maxPrice, cost, defaults, limits, headers } = route.properties;

/**
 * The fields that create and update a model. Null means "none" in both, like in replies. The config file does not accept null, because a
 * field without a value is probably a mistake there.
 */
export const modelFields = {
  ...modelProperties,
  accounts: nullable(modelProperties.accounts),
  routes: {
    ...declaredRoutesSchema,
    items: {
      ...route,
      properties: {
        ...route.properties,
        max_price: { ...nullable(maxPrice), title: "PriceCapInputOrNull", properties: allNullable(maxPrice.properties) },
        cost: { ...nullable(cost), title: "RouteCostInput" },
        defaults: { ...nullable(defaults), title: "DefaultParametersInputOrNull" },
        limits: { ...nullable(limits), title: "RouteLimitsInputOrNull", properties: allNullable(limits.properties) },
        headers: nullableHeaders(headers),
      },
    },
  },
  context_window: nullable(modelProperties.context_window),
  max_output_tokens: nullable(modelProperties.max_output_tokens),
  parameters: nullable(modelProperties.parameters),
  unknown_parameters: nullable(modelProperties.unknown_parameters),
  timeouts: {
    ...nullable(declaredTimeoutsSchema),
    title: "TimeoutsInputOrNull",
    properties: allNullable(declaredTimeoutsSchema.properties),
  },
  sticky: nullable(modelProperties.sticky),
  selection: nullable(modelProperties.selection),
  cache: { ...nullable(modelProperties.cache), title: "ResponseCacheInputOrNull" },
  mirror: { ...nullable(modelProperties.mirror), title: "MirrorInputOrNull" },
  fallback_models: nullable(modelProperties.fallback_models),
} as const satisfies Record<string, Schema>;

/** The same headers, where null removes one header, or all of them. */
export function nullableHeaders<const Headers extends Schema & { readonly additionalProperties: Schema }>(schema: Headers) {
  return { ...nullable(schema), title: "HeadersInputOrNull", additionalProperties: nullable(schema.additionalProperties) } as const;
}
