import { declaredUpstreamSchema } from "../../../models/declared-upstream.ts";
import { allNullable, nullable } from "../../../lib/schema/infer.ts";
import { nullableHeaders } from "../models/model-fields.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

const { properties } = declaredUpstreamSchema;

/** The fields of an upstream in a creation and in a change. Null means that it has none. */
export const upstreamFields = {
  ...properties,
  api_version: nullable(properties.api_version),
  timeouts: { ...properties.timeouts, title: "UpstreamTimeoutsInput", properties: allNullable(properties.timeouts.properties) },
  unknown_parameters: nullable(properties.unknown_parameters),
  headers: nullableHeaders(properties.headers),
  organization: nullable(properties.organization),
  project: nullable(properties.project),
} as const satisfies Record<string, Schema>;
