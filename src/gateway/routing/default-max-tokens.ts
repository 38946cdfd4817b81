import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Dialect, UpstreamSettings } from "../../models/upstream-settings.ts";

/** Formats in which a request must name a limit on its answer. */
const NEED_A_LIMIT: ReadonlySet<Dialect> = new Set(["anthropic"]);

/**
 * The limit that an upstream is told of its own format's need, where nobody names one: what the answer is reckoned to have at most.
 * Undefined where somebody does, or the format can do without.
 */
export function defaultMaxTokens({ dialect }: UpstreamSettings, { outline }: ChatRequest, reckonedTokens: number): number | undefined {
  const isNamed = outline["max_tokens"] != null || outline["max_completion_tokens"] != null;
  return NEED_A_LIMIT.has(dialect) && !isNamed ? reckonedTokens : undefined;
}
