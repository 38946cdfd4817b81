import type { UpstreamCall } from "../src/upstreams/upstream.ts";
import type { ChatRequest } from "../src/vocabulary/chat-request.ts";
import { topLevelFields, type JsonField } from "../src/vocabulary/json-text.ts";
import { EVERYTHING } from "../src/vocabulary/parameters.ts";
import { isObject } from "../src/vocabulary/schema.ts";
import { DEFAULT_TIMEOUTS } from "../src/vocabulary/upstream-settings.ts";

/** A request body as the gateway has read it. */
export function chatOf(body: Readonly<Record<string, unknown>>): ChatRequest {
  const text = JSON.stringify(body);
  const streamOptions = body["stream_options"];
  return {
    model: (body["model"] ?? "m") as string,
    messages: (body["messages"] ?? []) as Record<string, unknown>[],
    stream: body["stream"] === true,
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    text,
    fields: topLevelFields(text) as JsonField[],
    body,
  };
}

/** A call as the gateway makes it. */
export function callOf(chat: ChatRequest, more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    chat,
    upstreamModel: "their-model",
    carriage: EVERYTHING,
    maxTokens: undefined,
    reckonedTokens: 4096,
    credential: undefined,
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report: () => undefined,
    ...more,
  };
}
