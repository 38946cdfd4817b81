import type { Schema } from "../lib/schema/schema.ts";
import type { Usage } from "../money/usage.ts";
import { ApiError, ERROR_CODES, type ErrorCode } from "./api-error.ts";

/** Token counts as Anthropic's Messages API reports them: `input_tokens` excludes cache reads and cache writes. */
export function usageToMessages({ promptTokens, cachedTokens, cacheWriteTokens, completionTokens }: Usage) {
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  };
}

/**
 * The signature of thinking that another provider generated. Clients require a signature, and send it back: Anthropic, which would reject
 * it, does not receive such blocks.
 */
export const FOREIGN_SIGNATURE = "tollgate";

/** Throws for a region that only Anthropic's own API knows: it must not be ignored where a prompt is processed. */
export function refuseRegion(region: unknown): void {
  if (region == null || region === "global") return;
  const message = 'inference_geo must be "global": no upstream of this model takes other values.';
  throw new ApiError("unsupported_parameter", message, { param: "inference_geo" });
}

/** https://platform.claude.com/docs/en/api/errors */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The codes whose status in the Messages API differs from chat completions. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  // Unknown and forbidden models are alike.
  model_not_allowed: 404,
  model_retired: 404,
  // Agents that run in parallel wait for each other's credit.
  credits_in_flight: 429,
  overloaded: 529,
  no_upstream_available: 529,
};

/** The status of an error in the Messages API. */
export function messagesStatusOf({ code }: Pick<ApiError, "code">): number {
  return STATUSES[code] ?? ERROR_CODES[code].status;
}

/** An error in the form of the Messages API, as a reply or as the last event of a stream. */
export function toMessagesError(error: ApiError): object {
  const status = messagesStatusOf(error);
  const type = TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message: error.message } };
}

const messagesUsageSchema = {
  title: "MessagesUsage",
  type: "object",
  required: ["input_tokens", "output_tokens"],
  properties: {
    input_tokens: { type: "integer", description: "Without tokens that were read from or written to a cache." },
    cache_creation_input_tokens: { type: "integer", nullable: true },
    cache_read_input_tokens: { type: "integer", nullable: true },
    output_tokens: { type: "integer" },
  },
} as const satisfies Schema;

export const messageReplySchema = {
  title: "MessageReply",
  type: "object",
  description: "Fields that are not listed here are passed on from upstreams that speak the same format.",
  required: ["id", "type", "role", "model", "content", "stop_reason", "usage"],
  properties: {
    id: { type: "string" },
    type: { type: "string", enum: ["message"] },
    role: { type: "string", enum: ["assistant"] },
    model: { type: "string" },
    content: {
      type: "array",
      items: { title: "ReplyBlock", type: "object", required: ["type"], properties: { type: { type: "string" } } },
    },
    stop_reason: { type: "string", nullable: true },
    stop_sequence: { type: "string", nullable: true },
    usage: messagesUsageSchema,
  },
} as const satisfies Schema;

export const messageEventSchema = {
  title: "MessageEvent",
  type: "object",
  description: "An event of a stream: `message_start`, `content_block_delta`, `message_stop`, … or `error`.",
  required: ["type"],
  properties: { type: { type: "string" } },
} as const satisfies Schema;

export const messagesErrorSchema = {
  title: "MessagesError",
  type: "object",
  required: ["type", "error"],
  properties: {
    type: { type: "string", enum: ["error"] },
    error: {
      title: "MessagesErrorDetail",
      type: "object",
      required: ["type", "message"],
      properties: { type: { type: "string" }, message: { type: "string", description: "Human-readable text." } },
    },
    request_id: {
      type: "string",
      nullable: true,
      description: "The ID of the request; in a reply that an upstream wrote, the upstream's.",
    },
  },
} as const satisfies Schema;
