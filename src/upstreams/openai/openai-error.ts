import { GatewayError, toRetryAfter, type ErrorCode } from "../../vocabulary/gateway-error.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { Secret } from "../../vocabulary/secret.ts";

/** More than any refusal needs: what an upstream says goes to callers and the log, and is not to fill either. */
const MAX_WORDS_CHARS = 2_000;

/** What the body of a refusal says, as far as it says it in the usual form. */
interface Refusal {
  readonly message: string;
  /** Its code and type. */
  readonly kind: string;
  readonly param: string | undefined;
}

/**
 * Our refusal for an upstream's. What is the caller's fault keeps the upstream's words; what is the operator's (a credential,
 * a quota, an address) or the upstream's own must not look like the caller's, and its words stay in the log.
 */
export function refusalOf(status: number, headers: Headers, body: string): GatewayError {
  const refusal = readRefusal(body);
  const detail = `upstream status ${status}: ${refusal.message}`;
  if (status === 400 || status === 422) {
    return new GatewayError(codeOfBadRequest(refusal), refusal.message, { param: refusal.param, detail });
  }
  if (status === 413) return new GatewayError("request_too_large", "The upstream says that this request is too large.", { detail });
  if (status === 429 && isTooLargeForAnyWindow(refusal)) {
    return new GatewayError("rate_limit_exceeded", refusal.message, { detail, headers: { "x-should-retry": "false" } });
  }
  if ((status === 429 && !isOutOfMoney(refusal)) || status === 503 || status === 529) {
    return busy(Number(headers.get("retry-after")) || 5, detail);
  }
  if (status === 504) return new GatewayError("upstream_timeout", "The upstream took too long to answer.", { detail });
  return new GatewayError("upstream_error", "The upstream failed to answer.", { detail });
}

/** Our error for an `{"error":…}` that arrived with a success status, whole or as an event of a stream. */
export function refusalInside(error: unknown): GatewayError {
  const refusal = readError(error);
  const detail = `upstream error in a 200: ${refusal.message}`;
  if (/overload|rate_limit/.test(refusal.kind)) return busy(5, detail);
  if (/context_length|content_policy|content_filter/.test(refusal.kind)) {
    return new GatewayError(codeOfBadRequest(refusal), refusal.message, { detail });
  }
  return new GatewayError("upstream_error", "The upstream failed to answer.", { detail });
}

/** Our error for an answer that is none. */
export function notUnderstood(detail: string): GatewayError {
  return new GatewayError("upstream_error", "The upstream's answer could not be understood.", { detail });
}

/** What the body of a refusal says. */
export function wordsOf(body: string): string {
  return readRefusal(body).message;
}

/**
 * Words of an upstream that may leave this process: short, and without our credential, which the upstream has seen. It is taken
 * out first: of one that is cut in two, a half would be left.
 */
export function safeWords(text: string, credential: Secret | undefined): string {
  return (credential?.redactFrom(text) ?? text).slice(0, MAX_WORDS_CHARS);
}

function busy(retryAfterSeconds: number, detail: string): GatewayError {
  const seconds = toRetryAfter(retryAfterSeconds);
  return new GatewayError("overloaded", `The upstream is busy. Please try again in ${seconds}s.`, { retryAfterSeconds: seconds, detail });
}

function readRefusal(body: string): Refusal {
  try {
    const parsed: unknown = JSON.parse(body);
    // FastAPI servers answer `{"detail":…}`, Mistral `{"message":…}`, most others `{"error":{…}}`.
    return readError(isObject(parsed) ? (parsed["error"] ?? parsed) : parsed);
  } catch {
    return readError(body);
  }
}

function readError(error: unknown): Refusal {
  if (!isObject(error)) return { message: inWords(error), kind: "", param: undefined };
  const { code, type, param } = error;
  return {
    message: inWords(error["message"] ?? error["detail"] ?? error),
    kind: [code, type].filter((part) => typeof part === "string").join(" "),
    param: typeof param === "string" ? param : undefined,
  };
}

function inWords(reason: unknown): string {
  const words = typeof reason === "string" ? reason : JSON.stringify(reason);
  return words || "no reason given";
}

function codeOfBadRequest({ kind, message }: Refusal): ErrorCode {
  if (/context_length_exceeded/.test(kind) || /maximum context length|context window/i.test(message)) return "context_length_exceeded";
  if (/content_filter|content_policy/.test(kind)) return "content_policy_violation";
  if (/unrecognized request argument|extra_forbidden|unsupported_parameter/i.test(`${kind} ${message}`)) return "unsupported_parameter";
  return "invalid_value";
}

/** OpenAI says "slow down" and "you have not paid" with one status. The second does not pass by waiting. */
function isOutOfMoney({ kind }: Refusal): boolean {
  return /insufficient_quota|credit_balance|spend_limit|usage_limit|billing/.test(kind);
}

/** OpenAI's 429 for a single request above the whole window: the caller alone can mend it, and waiting does not help. */
function isTooLargeForAnyWindow({ message }: Refusal): boolean {
  return /^request too large/i.test(message);
}
