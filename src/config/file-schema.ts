import { declaredAccountSchema, type DeclaredAccount } from "../access/declared-account.ts";
import { declaredModelSchema, type DeclaredModel, type DeclaredState } from "../models/declared-model.ts";
import { declaredUpstreamSchema, type DeclaredUpstream } from "../models/declared-upstream.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** tollgate.yaml. docs/configuration.md explains every field, and a test keeps the two equal. */
export const configFileSchema: Schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    upstreams: { type: "array", items: declaredUpstreamSchema },
    models: { type: "array", items: declaredModelSchema },
    accounts: { type: "array", items: declaredAccountSchema },
  },
};

/** A config file's values, as the schema promises them. */
export interface DeclaredFile {
  readonly upstreams: readonly DeclaredUpstream[];
  readonly models?: readonly (DeclaredModel & DeclaredState)[];
  readonly accounts?: readonly DeclaredAccount[];
}
