import { withFields } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { UpstreamCall } from "../upstream.ts";

/**
 * The caller's body with the upstream's name for the model, and, on a stream, the wish for token counts: we need them even
 * where the caller does not. Every other byte stays as it was sent.
 */
export function toOpenAIRequest({ chat, upstreamModel }: UpstreamCall): string {
  const changes: Record<string, string> = { model: JSON.stringify(upstreamModel) };
  if (chat.stream && !chat.includeUsage) {
    const asked = chat.body["stream_options"];
    changes["stream_options"] = JSON.stringify({ ...(isObject(asked) ? asked : {}), include_usage: true });
  }
  return withFields(chat.text, chat.fields, changes);
}
