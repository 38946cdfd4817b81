import type { ApiError } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { readError, readErrorBody, refusalInside, refusalOf } from "../refusal.ts";
import type { UpstreamError } from "../upstream-error.ts";
import { tryParse } from "../../lib/json/try-parse.ts";

/** The `ApiError` for an error response with a 4xx or 5xx status. */
export function geminiRefusal(status: number, headers: HeadersRead, body: string): ApiError {
  const error = errorIn(tryParse(body));
  return error ? refusalFor(status, headers, error) : refusalOf(status, headers, readErrorBody(body));
}

/** The `ApiError` for an error inside a 200, whose `code` is the status that it would have had. */
export function geminiErrorInside(error: Record<string, unknown>): ApiError {
  const { code } = error;
  if (typeof code === "number" && code >= 400 && code <= 599) return refusalFor(code, new Headers(), error);
  return refusalInside(toUpstreamError(error));
}

/** The error in a body: an object, or an element of the JSON array that a stream without SSE consists of. */
export function errorIn(answer: unknown): Record<string, unknown> | undefined {
  const whole: unknown = Array.isArray(answer) ? answer.find((each) => isObject(each) && isObject(each["error"])) : answer;
  const error = isObject(whole) ? whole["error"] : undefined;
  return isObject(error) ? error : undefined;
}

function refusalFor(status: number, headers: HeadersRead, error: Record<string, unknown>): ApiError {
  const upstreamError = { ...toUpstreamError(error), status };
  if (status !== 400) return refusalOf(status, headers, upstreamError);
  if (error["status"] === "FAILED_PRECONDITION" && ABOUT_ONE_MODEL.test(upstreamError.message))
    return refusalOf(404, headers, upstreamError);
  return refusalOf(isAboutOurAccount(error, upstreamError) ? 403 : status, headers, upstreamError);
}

/** A 400 of Vertex AI about one model that our project may not use. The identity still serves the others. */
const ABOUT_ONE_MODEL = /^project \S{1,100} is not allowed to use publisher model/i;

function toUpstreamError(error: Record<string, unknown>): UpstreamError {
  const { message, kind, param } = readError(error);
  return { message, kind, param, retryAfterMs: retryDelayIn(error) };
}

/**
 * A 400 can be about our API key, billing or location, which the caller cannot fix. Error messages quote the caller's input, so a
 * phrase is not matched anywhere in them: a caller could otherwise disable our key by sending it.
 */
function isAboutOurAccount(error: Record<string, unknown>, { message }: UpstreamError): boolean {
  if (detailsOf(error).some(({ reason }) => reason === "API_KEY_INVALID")) return true;
  if (/^API key (not|expired)/i.test(message)) return true;
  return error["status"] === "FAILED_PRECONDITION" && /enable billing|location is not supported/i.test(message);
}

/** `google.rpc.RetryInfo` has the retry delay as a duration: `34.4s`. */
function retryDelayIn(error: Record<string, unknown>): number | undefined {
  const delays = detailsOf(error).flatMap(({ retryDelay }) => (typeof retryDelay === "string" ? retryDelay : []));
  const seconds = /^(\d{1,9}(?:\.\d+)?)s$/.exec(delays[0] ?? "")?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

function detailsOf({ details }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(details) ? details.filter(isObject) : [];
}
