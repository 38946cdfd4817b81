import type { WireRequest } from "../../../src/upstreams/dialect.ts";
import type { UpstreamCall } from "../../../src/upstreams/upstream.ts";
import { fromByteText, toByteText, type ByteText } from "../../../src/lib/text/byte-text.ts";
import { rewriteText, type ChatRequest } from "../../../src/requests/chat-request.ts";
import { chatFormat } from "../../../src/gateway/formats/chat-format.ts";
import type { ModelRequest } from "../../../src/gateway/formats/caller-format.ts";
import { topLevelFields } from "../../../src/lib/json/json-text.ts";
import { NO_CHANGES } from "../../../src/models/parameters/parameter-policy.ts";
import { withoutGatewayTags } from "../../../src/requests/routes/with-defaults.ts";
import { isObject } from "../../../src/lib/schema/schema.ts";
import { DEFAULT_TIMEOUTS } from "../../../src/models/timeouts.ts";

/** A request body as the gateway has parsed it, with this spelling. */
export function chatOf(body: Readonly<Record<string, unknown>>, text = JSON.stringify(body)): ChatRequest & ModelRequest {
  const byteText = toByteText(text);
  const fields = topLevelFields(byteText);
  const streamOptions = body["stream_options"];
  return {
    format: chatFormat,
    gatewayFields: body,
    session: typeof body["prompt_cache_key"] === "string" ? body["prompt_cache_key"] : undefined,
    chatFor() {
      return withoutGatewayTags(this);
    },
    fromChat: undefined,
    relayed: undefined,
    model: (body["model"] ?? "m") as string,
    stream: body["stream"] === true,
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    byteText,
    outlineText: byteText,
    fields,
    rewrite: (values, names) => rewriteText({ byteText, fields }, values, names),
    outline: body,
    text,
    body,
    conversation: (body["messages"] ?? []) as Record<string, unknown>[],
    messages: (body["messages"] ?? []) as Record<string, unknown>[],
  };
}

/** The body that is sent, as text. */
export function sentText({ body }: Pick<WireRequest, "body">): string {
  return fromByteText(body.join("") as ByteText);
}

/** A call, as the gateway makes it. */
export function callOf(chat: ChatRequest, more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    chat,
    model: chat.model,
    upstreamModel: "their-model",
    parameterMapping: NO_CHANGES,
    maxTokens: undefined,
    maxOutputTokens: 4096,
    credential: undefined,
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report: () => undefined,
    ...more,
  };
}
