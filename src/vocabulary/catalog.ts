import { priceInForce, type Price } from "./price.ts";

/** What may be called, and where a call goes. Plain data: the stores keep it, the gateway reads it. */

/** One way to serve a model. */
export interface Route {
  readonly upstream: string;
  readonly upstreamModel: string;
}

/** `available` → `deprecated` → `retired`. A deprecated model keeps working; a retired one is gone. */
export type ModelState =
  | { readonly name: "available" }
  | { readonly name: "deprecated"; readonly shutdownDate: string; readonly replacement: string }
  | { readonly name: "retired"; readonly replacement: string };

export interface Model {
  readonly id: string;
  readonly ownedBy: string;
  readonly createdSeconds: number;
  readonly state: ModelState;
  /** In order of preference. */
  readonly routes: readonly Route[];
  /** By the day they take effect. Without one in force the model cannot be called: what costs money is never free by mistake. */
  readonly prices: readonly Price[];
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

export type Catalog = ReadonlyMap<string, Model>;

/** What a model may be called: ASCII without spaces, so that it fits into a header, and without `*`. */
export const MODEL_ID = "^[!-)+-~]+$";

/** A model id, or the beginning of one and `*`. */
export const MODEL_PATTERN = "^[!-)+-~]+\\*?$|^\\*$";

/**
 * The one answer to "may a key with these patterns call this model?". The model list and admission both ask here, so a model
 * is listed if and only if it can be called.
 */
export function mayCall(patterns: readonly string[], model: Model, nowMs: number): boolean {
  return model.state.name !== "retired" && isCovered(patterns, model.id) && priceInForce(model.prices, nowMs) !== undefined;
}

/** Whether any pattern covers the id: `gpt-4o`, `gpt-*`, `*`. */
export function isCovered(patterns: readonly string[], modelId: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith("*") ? modelId.startsWith(pattern.slice(0, -1)) : modelId === pattern));
}
