import { ANYTHING, isObject, type Schema } from "../lib/schema/schema.ts";
import { usageFromWire, type PremiumUse, type Usage } from "../money/usage.ts";
import type { ApiError, ErrorCode } from "./api-error.ts";
import { premiumTierOf } from "./service-tier.ts";

type Json = Readonly<Record<string, unknown>>;

/** Token counts as OpenAI's Responses API reports them. */
export function usageToResponses({ promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens }: Usage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

/** Reads the usage of a response: the same counts as in chat completions, by other names, its service tier and its tools. */
export function usageFromResponses(response: Json): Usage | undefined {
  const usage = countsOf(response["usage"]);
  const premium = usage && premiumOf(response);
  return premium ? { ...usage, premium } : usage;
}

/** Undefined for most responses. */
function premiumOf({ service_tier: reportedTier, output, tool_usage: counted }: Json): PremiumUse | undefined {
  const calls = new Map<string, number>();
  for (const item of Array.isArray(output) ? output : []) {
    const tool = isObject(item) ? billedToolOf(item) : undefined;
    if (tool !== undefined) calls.set(tool, (calls.get(tool) ?? 0) + 1);
  }
  const searches = isObject(counted) && isObject(counted["web_search"]) ? counted["web_search"]["num_requests"] : undefined;
  if (Number.isSafeInteger(searches) && Number(searches) > 0) calls.set("web_search", Number(searches));
  const tier = premiumTierOf(reportedTier);
  const multipliers = tier === undefined ? [] : [tier];
  const isUsual = multipliers.length === 0 && calls.size === 0;
  return isUsual ? undefined : { hourWriteTokens: 0, toolCalls: Object.fromEntries(calls), multipliers };
}

/** Calls of tools that run at the client. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
]);

/** The tool that ran at the provider for this item. Of web searches, only the searches are billed, not the pages opened after them. */
export function billedToolOf({ type, action, execution, status }: Json): string | undefined {
  if (typeof type !== "string" || !type.endsWith("_call") || CLIENT_CALLS.has(type) || execution === "client" || status === "failed")
    return undefined;
  const isFollowUp = isObject(action) && action["type"] !== undefined && action["type"] !== "search";
  return isFollowUp ? undefined : type.slice(0, -"_call".length);
}

function countsOf(wire: unknown): Usage | undefined {
  if (!isObject(wire)) return undefined;
  return usageFromWire({
    prompt_tokens: wire["input_tokens"],
    completion_tokens: wire["output_tokens"],
    total_tokens: wire["total_tokens"],
    prompt_tokens_details: wire["input_tokens_details"],
    completion_tokens_details: wire["output_tokens_details"],
  });
}

/** Web search at the provider. Codex offers it with every request, and works without it. */
export function isHostedSearch({ type }: Json): boolean {
  return typeof type === "string" && /^web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/.test(type);
}

/** The earlier web search, whose fee depends on the model, and which no price has. */
export function isPreviewSearch({ type }: Json): boolean {
  return String(type).startsWith("web_search_preview");
}

/** Whether any of these tools, or of the tools in their namespaces, is such a web search at the provider. */
export function hasHostedSearch(tools: unknown, is = isHostedSearch): boolean {
  return Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && (is(tool) || hasHostedSearch(tool["tools"], is)));
}

export function withoutHostedSearch(tools: readonly Json[], is = isHostedSearch): Json[] {
  return tools.flatMap((tool) => {
    if (is(tool)) return [];
    return hasHostedSearch(tool["tools"], is) ? [{ ...tool, tools: withoutHostedSearch(tool["tools"] as readonly Json[], is) }] : [tool];
  });
}

/**
 * The codes of `response.failed` that agents understand: they wait, or give up. Codex repeats the request after any other code
 * (https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs).
 */
const FAILURE_CODES: Partial<Record<ErrorCode, string>> = {
  context_length_exceeded: "context_length_exceeded",
  insufficient_credits: "insufficient_quota",
  budget_exceeded: "insufficient_quota",
  rate_limit_exceeded: "rate_limit_exceeded",
  overloaded: "server_is_overloaded",
  no_upstream_available: "server_is_overloaded",
  invalid_value: "invalid_prompt",
  unsupported_parameter: "invalid_prompt",
  content_policy_violation: "invalid_prompt",
};

/** The error in a `response.failed` event. */
export function toResponseError({ code, message }: ApiError): { readonly code: string; readonly message: string } {
  return { code: FAILURE_CODES[code] ?? "server_error", message };
}

/** The status of an error in the Responses API. */
export function responsesStatusOf({ code, status, headers }: ApiError): number {
  // RFC 9110, section 15.5.22: Codex then sends its requests by POST.
  if (headers["upgrade"] !== undefined) return 426;
  // Agents that run in parallel wait for each other's credit.
  if (code === "credits_in_flight") return 503;
  // Codex repeats a request five times after any other status than 400 and this one, with the type `insufficient_quota`.
  return status === 402 ? 429 : status;
}

const responsesUsageSchema = {
  title: "ResponseUsage",
  type: "object",
  required: ["input_tokens", "output_tokens", "total_tokens"],
  properties: {
    input_tokens: { type: "integer" },
    input_tokens_details: {
      title: "InputTokensDetails",
      type: "object",
      properties: { cached_tokens: { type: "integer" }, cache_write_tokens: { type: "integer" } },
    },
    output_tokens: { type: "integer" },
    output_tokens_details: { title: "OutputTokensDetails", type: "object", properties: { reasoning_tokens: { type: "integer" } } },
    total_tokens: { type: "integer" },
  },
} as const satisfies Schema;

export const responseSchema = {
  title: "Response",
  type: "object",
  description: "Fields that are not listed here are passed on from upstreams that speak the same format.",
  required: ["id", "object", "created_at", "model", "status", "output"],
  properties: {
    id: { type: "string" },
    object: { type: "string", enum: ["response"] },
    created_at: { type: "number" },
    model: { type: "string" },
    status: { type: "string", description: "`completed` or `incomplete`." },
    output: {
      type: "array",
      items: { title: "OutputItem", type: "object", required: ["type"], properties: { type: { type: "string" } } },
    },
    incomplete_details: ANYTHING,
    error: ANYTHING,
    usage: responsesUsageSchema,
  },
} as const satisfies Schema;

export const responseEventSchema = {
  title: "ResponseEvent",
  type: "object",
  description:
    "An event of a stream: `response.created`, `response.output_text.delta`, … The last one is `response.completed`, `response.incomplete` or `response.failed`.",
  required: ["type"],
  properties: { type: { type: "string" } },
} as const satisfies Schema;
