import { MODEL_PATTERN } from "./model-id.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** The allow-list of a key or an account. */
export const modelsSchema = {
  type: "array",
  minItems: 1,
  maxItems: 200,
  items: { type: "string", maxLength: 200, pattern: MODEL_PATTERN, patternInWords: "a model id, a beginning such as gpt-*, or *" },
  description: "The models it may call: ids, prefixes such as `gpt-*`, or `*`.",
} as const satisfies Schema;

/** The same list in responses, without limits. */
export const shownModelsSchema = {
  type: "array",
  items: { type: "string" },
  description: modelsSchema.description,
} as const satisfies Schema;
