import type { GatewayError } from "../../requests/gateway-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { readError, readRefusal, refusalInside, refusalOf } from "../refusal.ts";
import type { Refusal } from "../refusal-message.ts";

/** Our error for a refusal with a status of its own. */
export function geminiRefusal(status: number, headers: HeadersRead, body: string): GatewayError {
  const error = errorIn(parse(body));
  return error ? refusalFor(status, headers, error) : refusalOf(status, headers, readRefusal(body));
}

/** Our error for one inside a 200. It carries the status that it would have had. */
export function geminiErrorInside(error: Record<string, unknown>): GatewayError {
  const { code } = error;
  if (typeof code === "number" && code >= 400 && code <= 599) return refusalFor(code, new Headers(), error);
  return refusalInside(toRefusal(error));
}

/** The error in an answer: by itself, or in the list that a stream is where it is not one of events. */
export function errorIn(answer: unknown): Record<string, unknown> | undefined {
  const whole: unknown = Array.isArray(answer) ? answer.find((each) => isObject(each) && isObject(each["error"])) : answer;
  const error = isObject(whole) ? whole["error"] : undefined;
  return isObject(error) ? error : undefined;
}

function refusalFor(status: number, headers: HeadersRead, error: Record<string, unknown>): GatewayError {
  const refusal = toRefusal(error);
  return refusalOf(status === 400 && isAboutUs(error, refusal) ? 403 : status, headers, refusal);
}

function toRefusal(error: Record<string, unknown>): Refusal {
  const { message, kind, param } = readError(error);
  return { message, kind, param, retryAfterMs: retryDelayIn(error) };
}

/**
 * A 400 can be about our key, our billing or where we are. None of that is the caller's to mend. Errors quote what callers sent, so
 * that words alone, anywhere, would let a caller put our key out of service.
 */
function isAboutUs(error: Record<string, unknown>, { message }: Refusal): boolean {
  if (detailsOf(error).some(({ reason }) => reason === "API_KEY_INVALID")) return true;
  if (/^API key (not|expired)/i.test(message)) return true;
  return error["status"] === "FAILED_PRECONDITION" && /enable billing|location is not supported/i.test(message);
}

/** `google.rpc.RetryInfo` says when to come again, as a duration: `34.4s`. */
function retryDelayIn(error: Record<string, unknown>): number | undefined {
  const delays = detailsOf(error).flatMap(({ retryDelay }) => (typeof retryDelay === "string" ? retryDelay : []));
  const seconds = /^(\d{1,9}(?:\.\d+)?)s$/.exec(delays[0] ?? "")?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

function detailsOf({ details }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(details) ? details.filter(isObject) : [];
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
