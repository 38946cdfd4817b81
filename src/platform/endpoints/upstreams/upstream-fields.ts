import { declaredUpstreamSchema } from "../../../models/declared-upstream.ts";
import { nullableHeaders } from "../models/model-fields.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

const properties = declaredUpstreamSchema.properties!;

/** The fields of an upstream in a creation and in a change. Null means that it has none. */
export const upstreamFields: Readonly<Record<string, Schema>> = {
  ...properties,
  api_version: nullable(properties["api_version"]!),
  timeouts: {
    ...properties["timeouts"],
    title: "UpstreamTimeoutsInput",
    properties: Object.fromEntries(Object.entries(properties["timeouts"]!.properties!).map(([name, schema]) => [name, nullable(schema)])),
  },
  unknown_parameters: nullable(properties["unknown_parameters"]!),
  headers: nullableHeaders(properties["headers"]!),
  organization: nullable(properties["organization"]!),
  project: nullable(properties["project"]!),
};

function nullable(schema: Schema): Schema {
  return { ...schema, nullable: true };
}
