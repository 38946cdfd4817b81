import type { ApiError } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { readError, readErrorBody, refusalInside, refusalOf } from "../refusal.ts";
import type { UpstreamError } from "../upstream-error.ts";

/** The HTTP status of each error type when it is not sent inside a 200. */
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

/** Messages of a 400 about our provider account. Matched at the start only: later text may quote the caller's request. */
const ABOUT_OUR_ACCOUNT =
  /^(your credit balance is too low|you have reached your specified [\w ]{0,40}usage limits|this organization has been disabled)/i;

/** A 400 of Vertex AI about one model that our project may not use. The identity still serves the others. */
const ABOUT_ONE_MODEL = /^project \S{1,100} is not allowed to use publisher model/i;

/** The `ApiError` for an error response with a 4xx or 5xx status. */
export function anthropicRefusal(status: number, headers: HeadersRead, body: string): ApiError {
  return refusalFor(status, headers, { ...readErrorBody(body), status });
}

/** The `ApiError` for an error inside a 200, as a body or an event: the same as for an error response with its usual status. */
export function errorInside(error: unknown): ApiError {
  const type = isObject(error) ? error["type"] : undefined;
  const status = typeof type === "string" && Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined;
  return status === undefined ? refusalInside(readError(error)) : refusalFor(status, new Headers(), readError(error));
}

/** Only the operator can fix credit, limits and the state of the provider account, so callers do not receive these errors as a 400. */
function refusalFor(status: number, headers: HeadersRead, error: UpstreamError): ApiError {
  if (status !== 400) return refusalOf(status, headers, error);
  if (ABOUT_ONE_MODEL.test(error.message)) return refusalOf(404, headers, error);
  return refusalOf(ABOUT_OUR_ACCOUNT.test(error.message) ? 402 : status, headers, error);
}
