import type { ChatRequest } from "../../vocabulary/chat-request.ts";
import { topLevelFields, withFields, type JsonField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { UpstreamCall } from "../upstream.ts";

/**
 * The caller's body with the upstream's name for the model, our limit on its answer where that is not the caller's own, and, on
 * a stream, the wish for token counts: we need them even where the caller does not. Every other byte stays as it was sent.
 */
export function toOpenAIRequest({ chat, upstreamModel, maxTokens }: UpstreamCall, baseUrl: string): string {
  const changes: Record<string, string> = { model: JSON.stringify(upstreamModel) };
  if (maxTokens !== undefined) changes[nameOfMaxTokens(chat, baseUrl)] = String(maxTokens);
  if (chat.stream && !chat.includeUsage) {
    const field = chat.fields.find(({ key }) => key === "stream_options");
    const asked = field && isObject(chat.body["stream_options"]) ? chat.text.slice(field.valueStart, field.valueEnd) : "{}";
    changes["stream_options"] = withFields(asked, topLevelFields(asked) as JsonField[], { include_usage: "true" });
  }
  return withFields(chat.text, chat.fields, changes);
}

/** As the caller calls it. Else as the upstream does: OpenAI's newer models refuse the old name, most other servers the new. */
function nameOfMaxTokens({ body }: ChatRequest, baseUrl: string): string {
  if (body["max_completion_tokens"] != null) return "max_completion_tokens";
  if (body["max_tokens"] != null) return "max_tokens";
  return /^https:\/\/([^/]+\.)?openai\.(azure\.)?com(\/|:|$)/.test(baseUrl) ? "max_completion_tokens" : "max_tokens";
}
