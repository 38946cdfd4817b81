import type { ChatRequest } from "../../vocabulary/chat-request.ts";
import { topLevelFields, withFields, type JsonField } from "../../vocabulary/json-text.ts";
import { presetOf, type Quirks } from "../../vocabulary/presets.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { RemoteSettings } from "../../vocabulary/upstream-settings.ts";
import type { UpstreamCall } from "../upstream.ts";

const NONE: Quirks = {};

function quirksOf({ preset }: RemoteSettings): Quirks {
  return (preset && presetOf(preset).quirks) ?? NONE;
}

/** Where completions are made, below the base address. */
export function pathFor({ upstreamModel }: UpstreamCall, settings: RemoteSettings): string {
  const { completionsPath } = quirksOf(settings);
  return completionsPath === undefined ? "/chat/completions" : completionsPath.replace("{model}", encodeURIComponent(upstreamModel));
}

/**
 * The caller's body with the upstream's name for the model, our limit on its answer where that is not the caller's own, and, on
 * a stream, the wish for token counts: we need them even where the caller does not. Every other byte stays as it was sent.
 */
export function toOpenAIRequest({ chat, upstreamModel, maxTokens }: UpstreamCall, settings: RemoteSettings): string {
  const quirks = quirksOf(settings);
  const changes: Record<string, string> = { model: JSON.stringify(upstreamModel) };
  if (maxTokens !== undefined) for (const name of namesOfMaxTokens(chat, quirks)) changes[name] = String(maxTokens);
  if (chat.stream && !chat.includeUsage) {
    const field = chat.fields.find(({ key }) => key === "stream_options");
    const asked = field && isObject(chat.body["stream_options"]) ? chat.text.slice(field.valueStart, field.valueEnd) : "{}";
    changes["stream_options"] = withFields(asked, topLevelFields(asked) as JsonField[], { include_usage: "true" });
  }
  return withFields(chat.text, chat.fields, changes);
}

/** As the caller calls it, be it by both names. Else as the upstream does: OpenAI's newer models refuse the old name, most other servers the new. */
function namesOfMaxTokens({ body }: ChatRequest, { maxTokens = "max_tokens" }: Quirks): string[] {
  const used = ["max_completion_tokens", "max_tokens"].filter((name) => body[name] != null);
  return used.length > 0 ? used : [maxTokens];
}
