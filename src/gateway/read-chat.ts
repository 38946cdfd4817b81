import type { Exchange } from "../http/endpoint.ts";
import { readJson } from "../http/read-json.ts";
import { findChatViolation, type ChatRequest } from "../vocabulary/chat-request.ts";
import { refuseViolation } from "../vocabulary/gateway-error.ts";
import { isObject } from "../vocabulary/schema.ts";
import type { Gateway } from "./gateway.ts";

const UPLOAD_SECONDS = 255;

/** The request's body, checked: what we act on in fields of its own, everything else untouched. */
export async function readChat(exchange: Exchange, gateway: Gateway): Promise<ChatRequest> {
  // Bun takes an upload of a few kilobytes a second for silence, and large prompts come over slow lines too.
  exchange.allowSilence(UPLOAD_SECONDS);
  const { text, fields, value: body } = await readJson(exchange.request, gateway.maxBodyBytes);
  refuseViolation(findChatViolation(body));
  const streamOptions = body["stream_options"];
  return {
    model: body["model"] as string,
    messages: body["messages"] as Record<string, unknown>[],
    stream: body["stream"] === true,
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    text,
    fields,
    body,
  };
}
