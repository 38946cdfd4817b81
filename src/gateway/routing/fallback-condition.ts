import type { Completion } from "../../upstreams/upstream.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";
import { ApiError, type ErrorCode } from "../../requests/api-error.ts";
import type { Usage } from "../../money/usage.ts";
import { isObject } from "../../lib/schema/schema.ts";

/** The errors of upstreams and routing for which another model may serve a request. All others would be the same there, or are the caller's own. */
const CONDITIONS: Partial<Record<ErrorCode, FallbackCondition>> = {
  upstream_error: "error",
  upstream_timeout: "error",
  overloaded: "error",
  no_upstream_available: "error",
  // Of the upstream: limits of the caller reject a request before it is sent.
  rate_limit_exceeded: "error",
  context_length_exceeded: "context_length",
  content_policy_violation: "content_filter",
};

/** The condition that an error of a model meets; undefined where another model would not help. */
export function fallbackConditionOf({ code }: ApiError): FallbackCondition | undefined {
  return CONDITIONS[code];
}

/** Whether a complete response has no content, because a content filter ended every choice. */
export function isContentFiltered({ body }: Completion): boolean {
  // The usual response is not parsed.
  if (!body.includes('"content_filter"')) return false;
  const { choices } = JSON.parse(body) as { choices?: unknown };
  return Array.isArray(choices) && choices.length > 0 && choices.every(isEmptied);
}

function isEmptied(choice: unknown): boolean {
  if (!isObject(choice) || choice["finish_reason"] !== "content_filter") return false;
  const message = choice["message"];
  return !isObject(message) || (!message["content"] && !message["tool_calls"]);
}

/** The provider charges for such a response, and nobody else can tell how much: the detail, for operators, has its tokens. */
export function contentFiltered(usage: Usage | undefined): ApiError {
  const message = "The upstream's content filter left nothing of the answer.";
  const counted = usage && ` The provider counted ${usage.promptTokens} input and ${usage.completionTokens} output tokens.`;
  return new ApiError("content_policy_violation", message, { detail: message + (counted ?? "") });
}
