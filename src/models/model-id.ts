/**
 * Valid model IDs: ASCII without spaces, so that they fit into a header, and without `*`. `.` and `..` are excluded, because every client
 * resolves them as path segments.
 */
export const MODEL_ID = "^(?!\\.{1,2}$)[!-)+-~]+$";

/** The ID of a wildcard model: a prefix followed by `*`. */
export const WILDCARD_ID = "^[!-)+-~]*\\*$";

/** Longer IDs are not accepted, because a hostile server may return anything. */
export const MAX_ID_LENGTH = 200;

/** A wildcard model stands for all models of an upstream, such as `openai/*`. It cannot be called itself. */
export function isWildcard(modelId: string): boolean {
  return modelId.endsWith("*");
}

/** A model id, or a prefix followed by `*`. */
export const MODEL_PATTERN = "^[!-)+-~]+\\*?$|^\\*$";
