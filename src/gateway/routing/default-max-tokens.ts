import { requestedMaxTokens } from "../admission/hold.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Dialect, UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Candidate } from "./route-choice.ts";

/** API formats in which `max_tokens` is required. */
const REQUIRE_MAX_TOKENS: ReadonlySet<Dialect> = new Set(["anthropic"]);

/**
 * The `max_tokens` to send where the upstream's format requires one and the client sets none: the output that the hold pays for. Undefined
 * where the client sets one or the format does not require it.
 */
export function defaultMaxTokens({ dialect }: UpstreamSettings, { outline }: ChatRequest, maxOutputTokens: number): number | undefined {
  const isSet = outline["max_tokens"] != null || outline["max_completion_tokens"] != null;
  return REQUIRE_MAX_TOKENS.has(dialect) && !isSet ? maxOutputTokens : undefined;
}

/**
 * The `max_tokens` to send in the place of the request's: the gateway's, unless the limit of the request is lower. Without defaults of the route
 * it never is: the gateway's limit is set only where it is the lower one.
 */
export function sentMaxTokens(maxTokens: number | undefined, { chat, route }: Pick<Candidate, "chat" | "route">): number | undefined {
  if (maxTokens === undefined || route.defaults === undefined) return maxTokens;
  return (requestedMaxTokens(chat) ?? Number.POSITIVE_INFINITY) <= maxTokens ? undefined : maxTokens;
}
