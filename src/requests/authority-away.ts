import { ApiError } from "./api-error.ts";

/**
 * The 503 of a request that needs the process that has the truth about credit, rate limits or idempotency claims, while that process does not
 * answer. A fault never causes 401, 402, 403 or 429.
 */
export function authorityAway(detail: string): ApiError {
  const message = "The gateway cannot verify credit and rate limits at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail });
}
