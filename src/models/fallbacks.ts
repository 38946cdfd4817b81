import type { Infer } from "../lib/schema/infer.ts";
import type { Fail, Schema } from "../lib/schema/schema.ts";
import { MODEL_ID } from "./model-id.ts";

/**
 * Why a request is served by another model: every route of its model failed, or none is available (`error`); the prompt is too long for it
 * (`context_length`); or its provider refused the prompt (`content_filter`).
 */
export const FALLBACK_CONDITIONS = ["error", "context_length", "content_filter"] as const;

export type FallbackCondition = (typeof FALLBACK_CONDITIONS)[number];

/** A model that serves the requests of another one under these conditions. */
export interface FallbackModel {
  readonly model: string;
  readonly on: readonly FallbackCondition[];
}

/** The limit bounds the cost of an admission, which computes a cost bound for each fallback. */
const MAX_FALLBACKS = 10;

export const NO_FALLBACKS: readonly FallbackModel[] = [];

/** A wildcard model cannot be a fallback, because it cannot be called itself. */
const idSchema = { type: "string", pattern: MODEL_ID, patternInWords: "the id of a model, without *" } as const satisfies Schema;

export const fallbackModelsSchema = {
  type: "array",
  maxItems: MAX_FALLBACKS,
  description: "The models that serve a request instead, in order. An id alone stands for `on: [error]`.",
  items: {
    oneOf: [
      idSchema,
      {
        title: "FallbackModelInput",
        type: "object",
        form: "{ model: gpt-4o, on: [error] }",
        additionalProperties: false,
        required: ["model"],
        properties: {
          model: idSchema,
          on: { type: "array", minItems: 1, maxItems: FALLBACK_CONDITIONS.length, items: { type: "string", enum: FALLBACK_CONDITIONS } },
        },
      },
    ],
  },
} as const satisfies Schema;

/** A fallback in a config file or a request. A plain ID means a fallback for errors. */
export type DeclaredFallback = Infer<typeof fallbackModelsSchema.items>;

/** The parsed declaration. Rejects the same model twice. Code that knows all models checks that each exists. */
export function toFallbacks(declared: readonly DeclaredFallback[] = [], fail: Fail): readonly FallbackModel[] {
  if (declared.length === 0) return NO_FALLBACKS;
  const fallbacks = declared.map(toFallback);
  fallbacks.forEach(({ model }, at) => {
    const isRepeated = fallbacks.findIndex((each) => each.model === model) < at;
    if (isRepeated) fail(["fallback_models", at], `repeats ${JSON.stringify(model)}: list all its conditions in one entry`);
  });
  return fallbacks;
}

function toFallback(declared: DeclaredFallback): FallbackModel {
  if (typeof declared === "string") return { model: declared, on: ["error"] };
  const { model, on = ["error"] } = declared;
  return { model, on: FALLBACK_CONDITIONS.filter((condition) => on.includes(condition)) };
}

/** The ids of the declared fallbacks. */
export function fallbackIdsIn(declared: readonly DeclaredFallback[] = []): readonly string[] {
  return declared.map((each) => (typeof each === "string" ? each : each.model));
}

/** The properties of a model that fallbacks are checked against. */
export interface KnownModel {
  readonly isRetired: boolean;
}

/**
 * Why a model cannot be the fallback of another, as a clause; undefined if it can. Fallbacks of a fallback are not used, so two models may
 * fall back to each other.
 */
export function problemOfFallback(modelId: string, fallback: string, find: (id: string) => KnownModel | undefined): string | undefined {
  if (fallback === modelId) return "names the model itself";
  const target = find(fallback);
  if (!target) return `names ${JSON.stringify(fallback)}, and there is no such model`;
  return target.isRetired ? `names ${fallback}, which is retired` : undefined;
}
