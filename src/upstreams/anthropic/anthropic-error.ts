import type { GatewayError } from "../../requests/gateway-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { readError, readRefusal, refusalInside, refusalOf } from "../refusal.ts";
import type { Refusal } from "../refusal-message.ts";

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

/** What a 400 says that is about our account there. Only where it begins so: further on the words may be a caller's own. */
const ABOUT_US =
  /^(your credit balance is too low|you have reached your specified [\w ]{0,40}usage limits|this organization has been disabled)/i;

/** Our error for a refusal with a status of its own. */
export function anthropicRefusal(status: number, headers: HeadersRead, body: string): GatewayError {
  return refusalFor(status, headers, readRefusal(body));
}

/** Our error for one that came with a success status, whole or as an event: the same as if it had come with its own. */
export function errorInside(error: unknown): GatewayError {
  const type = isObject(error) ? error["type"] : undefined;
  const status = typeof type === "string" && Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined;
  return status === undefined ? refusalInside(readError(error)) : refusalFor(status, new Headers(), readError(error));
}

/** Credit, limits and standing are the operator's to mend, and no caller's business. */
function refusalFor(status: number, headers: HeadersRead, refusal: Refusal): GatewayError {
  return refusalOf(status === 400 && ABOUT_US.test(refusal.message) ? 402 : status, headers, refusal);
}
