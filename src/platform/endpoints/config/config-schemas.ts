import type { Schema } from "../../../lib/schema/schema.ts";

export const targetsSchema = {
  type: "array",
  items: {
    title: "DeclaredTarget",
    type: "object",
    required: ["kind", "id"],
    properties: { kind: { type: "string", enum: ["upstream", "model", "price_list", "account"] }, id: { type: "string" } },
  },
} as const satisfies Schema;

const changesProperties = { added: targetsSchema, changed: targetsSchema, removed: targetsSchema } as const;

/** The difference between two configurations. */
export const changesSchema = {
  title: "DeclaredChanges",
  type: "object",
  description:
    "Differences to the previous configuration. All three lists are empty when the file has not changed. An account that is removed from the file keeps its settings.",
  required: ["added", "changed", "removed"],
  properties: changesProperties,
} as const satisfies Schema;
