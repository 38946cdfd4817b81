import { declaredPriceListSchema, type DeclaredPriceList } from "../models/prices/declared-price-list.ts";
import { declaredAccountSchema, type DeclaredAccount } from "../access/declared-account.ts";
import { declaredModelSchema, type DeclaredModel, type DeclaredState } from "../models/declared-model.ts";
import { declaredUpstreamSchema, type DeclaredUpstream } from "../models/declared-upstream.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** The schema of tollgate.yaml. docs/configuration.md explains every field, and a test keeps the two in sync. */
export const configFileSchema: Schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    upstreams: { type: "array", items: declaredUpstreamSchema },
    models: { type: "array", items: declaredModelSchema },
    price_lists: { type: "array", items: declaredPriceListSchema },
    accounts: { type: "array", items: declaredAccountSchema },
  },
};

/** The values of a config file, typed by the schema. */
export interface DeclaredFile {
  readonly upstreams: readonly DeclaredUpstream[];
  readonly models?: readonly (DeclaredModel & DeclaredState)[];
  readonly price_lists?: readonly DeclaredPriceList[];
  readonly accounts?: readonly DeclaredAccount[];
}
