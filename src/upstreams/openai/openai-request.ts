import { topLevelFields, withFields, type JsonField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { UpstreamCall } from "../upstream.ts";

/**
 * The caller's body with the upstream's name for the model, and, on a stream, the wish for token counts: we need them even
 * where the caller does not. Every other byte stays as it was sent.
 */
export function toOpenAIRequest({ chat, upstreamModel }: UpstreamCall): string {
  const changes: Record<string, string> = { model: JSON.stringify(upstreamModel) };
  if (chat.stream && !chat.includeUsage) {
    const field = chat.fields.find(({ key }) => key === "stream_options");
    const asked = field && isObject(chat.body["stream_options"]) ? chat.text.slice(field.valueStart, field.valueEnd) : "{}";
    changes["stream_options"] = withFields(asked, topLevelFields(asked) as JsonField[], { include_usage: "true" });
  }
  return withFields(chat.text, chat.fields, changes);
}
