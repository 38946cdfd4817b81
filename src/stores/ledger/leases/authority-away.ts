import { ApiError } from "../../../requests/api-error.ts";

/** The error for a request whose credit cannot be verified. A fault never means that the account has no credit. */
export function authorityAway(): ApiError {
  const message = "The gateway cannot verify credit at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail: "the authority over credit has not answered in time" });
}
