import { ApiError } from "./api-error.ts";

/**
 * The detail for a key or model that is unknown in a process while its owner is not connected: it may have been created in the meantime.
 */
export const NOT_CURRENT = "the owner process is away, and keys and models may have changed";

/**
 * The 503 for a request that needs the process that is the authority on credit, rate limits or idempotency claims, while that process does
 * not respond. A fault never causes 401, 402, 403 or 429.
 */
export function authorityAway(detail: string): ApiError {
  const message = "The gateway cannot verify credit and rate limits at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail });
}
