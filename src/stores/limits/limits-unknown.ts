import type { ApiError } from "../../requests/api-error.ts";
import { authorityAway } from "../../requests/authority-away.ts";

/** The 503 of a request whose rate limits cannot be counted: a fault never causes a 429. */
export function limitsUnknown(reason: string): ApiError {
  return authorityAway(`rate limits cannot be counted: ${reason}`);
}
