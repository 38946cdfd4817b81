import { declaredUpstreamSchema } from "../../../models/declared-upstream.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

const properties = declaredUpstreamSchema.properties!;

/** The fields of an upstream in a creation and in a change. Null means that it has none. */
export const upstreamFields: Readonly<Record<string, Schema>> = {
  ...properties,
  api_version: { ...properties["api_version"], nullable: true },
};
