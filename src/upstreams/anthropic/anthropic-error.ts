import type { GatewayError } from "../../vocabulary/gateway-error.ts";
import { isObject } from "../../vocabulary/schema.ts";
import { readError, refusalInside, refusalOf } from "../refusal.ts";

/** The status that each error has where it is not inside a 200. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Our error for one that came with a success status, whole or as an event: the same as if it had come with its own. */
export function errorInside(error: unknown): GatewayError {
  const type = isObject(error) ? error["type"] : undefined;
  const status = typeof type === "string" && Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined;
  return status === undefined ? refusalInside(readError(error)) : refusalOf(status, new Headers(), readError(error));
}
