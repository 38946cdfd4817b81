import { maxTokensOfChat } from "../formats/chat-format.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Dialect, UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Candidate } from "./route-choice.ts";

/** API formats in which `max_tokens` is required. */
const REQUIRE_MAX_TOKENS: ReadonlySet<Dialect> = new Set(["anthropic"]);

/**
 * The `max_tokens` to send if the upstream's format requires one and the client sets none: the output that the hold pays for. Undefined if
 * the client sets one or the format does not require it.
 */
export function defaultMaxTokens(
  { dialect }: UpstreamSettings,
  chat: Pick<ChatRequest, "outline"> | undefined,
  maxOutputTokens: number,
): number | undefined {
  if (!chat) return undefined;
  const { outline } = chat;
  const isSet = outline["max_tokens"] != null || outline["max_completion_tokens"] != null;
  return REQUIRE_MAX_TOKENS.has(dialect) && !isSet ? maxOutputTokens : undefined;
}

/**
 * The `max_tokens` that replaces the request's: the gateway's limit, or undefined if the request's limit is not higher. The request's limit
 * can be lower only through the default parameters of the route; otherwise, the gateway's limit is set only if it is the lower one.
 */
export function sentMaxTokens(maxTokens: number | undefined, { chat, route }: Pick<Candidate, "chat" | "route">): number | undefined {
  if (maxTokens === undefined || route.defaults === undefined || chat === undefined) return maxTokens;
  return (maxTokensOfChat(chat) ?? Number.POSITIVE_INFINITY) <= maxTokens ? undefined : maxTokens;
}
