/**
 * Valid model ids: ASCII without spaces, so that they fit into a header, and without `*`. Not `.` or `..`, which every client
 * resolves as path segments.
 */
export const MODEL_ID = "^(?!\\.{1,2}$)[!-)+-~]+$";

/** The ID of a wildcard model: a prefix followed by `*`. */
export const WILDCARD_ID = "^[!-)+-~]*\\*$";

/** Longer IDs, as of hostile servers, may be anything. */
export const MAX_ID_LENGTH = 200;

/** Wildcard models stand for the models of an upstream: `openai/*`. They cannot be called themselves. */
export function isWildcard(modelId: string): boolean {
  return modelId.endsWith("*");
}

/** A model id, or a prefix followed by `*`. */
export const MODEL_PATTERN = "^[!-)+-~]+\\*?$|^\\*$";
