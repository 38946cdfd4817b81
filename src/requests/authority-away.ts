import { ApiError } from "./api-error.ts";

/** For a key or a model that is unknown in a process whose owner is away: it may have been created meanwhile. */
export const NOT_CURRENT = "the owner process is away, and keys and models may have changed";

/**
 * The 503 of a request that needs the process that has the truth about credit, rate limits or idempotency claims, while that process does not
 * answer. A fault never causes 401, 402, 403 or 429.
 */
export function authorityAway(detail: string): ApiError {
  const message = "The gateway cannot verify credit and rate limits at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail });
}
