import { GatewayError, type ErrorCode } from "../../vocabulary/gateway-error.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { Secret } from "../../vocabulary/secret.ts";

/** What the body of a refusal says, as far as it says it in the usual form. */
interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly param: string | undefined;
}

/**
 * Our refusal for an upstream's. What is the caller's fault keeps the upstream's words; what is the operator's (a credential,
 * a quota, an address) or the upstream's own must not look like the caller's, and its words stay in the log.
 */
export function refusalOf(status: number, headers: Headers, body: string, credential: Secret | undefined): GatewayError {
  const refusal = readRefusal(body, credential);
  const detail = `upstream status ${status}: ${refusal.message}`;
  const retryAfterSeconds = Number(headers.get("retry-after")) || 5;
  if (status === 400 || status === 422) {
    return new GatewayError(codeOfBadRequest(refusal), refusal.message, { param: refusal.param, detail });
  }
  if (status === 413) return new GatewayError("request_too_large", "The upstream says that this request is too large.", { detail });
  if (status === 429 && isTooLargeForAnyWindow(refusal)) {
    return new GatewayError("rate_limit_exceeded", refusal.message, { retryAfterSeconds, detail, headers: { "x-should-retry": "false" } });
  }
  const isOutOfMoney = refusal.code === "insufficient_quota";
  if ((status === 429 && !isOutOfMoney) || status === 503 || status === 529) {
    const words = `The upstream is busy. Please try again in ${retryAfterSeconds}s.`;
    return new GatewayError("overloaded", words, { retryAfterSeconds, detail });
  }
  if (status === 504) return new GatewayError("upstream_timeout", "The upstream took too long to answer.", { detail });
  return new GatewayError("upstream_error", "The upstream failed to answer.", { detail });
}

/** Our error for an `{"error":…}` that arrived with a success status, whole or as an event of a stream. */
export function refusalInside(error: unknown): GatewayError {
  const refusal = readError(error);
  const detail = `upstream error in a 200: ${refusal.message}`;
  const kind = `${refusal.code} ${isObject(error) ? String(error["type"]) : ""}`;
  if (/overload|rate_limit/.test(kind)) {
    return new GatewayError("overloaded", "The upstream is busy. Please try again in 5s.", { retryAfterSeconds: 5, detail });
  }
  if (/context_length|content_policy|content_filter/.test(kind))
    return new GatewayError(codeOfBadRequest(refusal), refusal.message, { detail });
  return new GatewayError("upstream_error", "The upstream failed to answer.", { detail });
}

function readRefusal(body: string, credential: Secret | undefined): Refusal {
  const clean = credential ? credential.redactFrom(body) : body;
  try {
    const parsed: unknown = JSON.parse(clean);
    // FastAPI servers answer `{"detail":…}`, Mistral `{"message":…}`, most others `{"error":{…}}`.
    return readError(isObject(parsed) ? (parsed["error"] ?? parsed) : parsed);
  } catch {
    return { message: clean.slice(0, 500) || "no reason given", code: "", param: undefined };
  }
}

function readError(error: unknown): Refusal {
  if (typeof error === "string") return { message: error, code: "", param: undefined };
  if (!isObject(error)) return { message: "no reason given", code: "", param: undefined };
  const words = error["message"] ?? error["detail"];
  return {
    message: typeof words === "string" ? words : JSON.stringify(words ?? error).slice(0, 500),
    code: typeof error["code"] === "string" || typeof error["code"] === "number" ? String(error["code"]) : "",
    param: typeof error["param"] === "string" ? error["param"] : undefined,
  };
}

function codeOfBadRequest({ code, message }: Refusal): ErrorCode {
  if (code === "context_length_exceeded" || /maximum context length|context window/i.test(message)) return "context_length_exceeded";
  if (/content_filter|content_policy/.test(code)) return "content_policy_violation";
  if (/unrecognized request argument|extra_forbidden|unsupported_parameter/i.test(`${code} ${message}`)) return "unsupported_parameter";
  return "invalid_value";
}

/** OpenAI's 429 for a single request above the whole window: the caller alone can mend it, and waiting does not help. */
function isTooLargeForAnyWindow({ message }: Refusal): boolean {
  return /^request too large/i.test(message);
}
