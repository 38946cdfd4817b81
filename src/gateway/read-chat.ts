import type { Exchange } from "../http/endpoint.ts";
import { readJson, type JsonBody } from "../http/read-json.ts";
import { beginningOf } from "../vocabulary/beginning-of.ts";
import { findChatViolation, type ChatRequest } from "../vocabulary/chat-request.ts";
import { refuseViolation } from "../vocabulary/gateway-error.ts";
import { isObject } from "../vocabulary/schema.ts";
import type { Gateway } from "./gateway.ts";

const UPLOAD_SECONDS = 255;
/** As much of a model's name as is noted: it may be anything. */
const MAX_NAME_LENGTH = 200;

/** The request's body, checked: what we act on in fields of its own, everything else untouched. */
export async function readChat(exchange: Exchange, gateway: Gateway): Promise<ChatRequest> {
  // Bun takes an upload of a few kilobytes a second for silence, and large prompts come over slow lines too.
  exchange.allowSilence(UPLOAD_SECONDS);
  const { notes } = exchange;
  const body = await readJson(exchange.request, gateway.maxBodyBytes);
  notes.receivedAt = performance.now();
  notes.requestBytes = body.bytes;
  refuseViolation(findChatViolation(body.value));
  const chat = toChat(body);
  notes.askedFor = beginningOf(chat.model, MAX_NAME_LENGTH);
  notes.isStream = chat.stream;
  return chat;
}

function toChat({ text, fields, value: body }: JsonBody): ChatRequest {
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
