import type { FallbackModel, UpdateModelRequest } from "../../../../../platform-client/types.ts";

type Condition = FallbackModel["on"][number];

/** When a fallback serves a request. */
export const CONDITIONS: Readonly<Record<Condition, string>> = {
  error: "Errors",
  context_length: "Prompt too long",
  content_filter: "Content filter",
};

export const ALL_CONDITIONS = Object.keys(CONDITIONS) as readonly Condition[];

/** A fallback in the form of a model. */
export interface FallbackDraft {
  readonly key: number;
  readonly model: string;
  readonly on: readonly Condition[];
}

let lastKey = 0;

export function emptyFallback(): FallbackDraft {
  lastKey += 1;
  return { key: lastKey, model: "", on: ["error"] };
}

export function fallbacksDraftOf(fallbacks: readonly FallbackModel[] = []): readonly FallbackDraft[] {
  return fallbacks.map(({ model, on }) => ({ ...emptyFallback(), model, on }));
}

/** In order. Rows without a model are skipped. */
export function toFallbackModels(draft: readonly FallbackDraft[]): NonNullable<UpdateModelRequest["fallback_models"]> {
  return draft.filter(({ model }) => model.trim() !== "").map(({ model, on }) => ({ model: model.trim(), on: [...on] }));
}
