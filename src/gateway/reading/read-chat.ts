import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Headroom } from "../../money/headroom.ts";
import { parseJson, receiveBody, requireJson, type JsonBody } from "../../http/read-json.ts";
import { truncate } from "../../lib/text/truncate.ts";
import { findChatViolation, type ChatRequest } from "../../requests/chat-request.ts";
import { refuseViolation, ApiError } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Gateway } from "../gateway.ts";
import { describeRemaining } from "../admission/headroom.ts";

/** The CPU time of a smaller body is not measured: it is about as low as the CPU time of its connection. */
const LARGE_BODY_BYTES = 64 * 1024;

/** Model names in requests may have any length; notes store at most this many characters. */
const MAX_NAME_LENGTH = 200;

/** Receives and validates the body. `exhausted` is the credit or spend cap that is too low for the request, as returned by `preCheck`. */
export function readChat(
  caller: KeyRecord,
  exhausted: Headroom | undefined,
  exchange: Exchange,
  gateway: Gateway,
): Promise<ChatRequest> | ChatRequest {
  return exhausted ? readUnpaid(exhausted, caller, exchange, gateway) : readBody(exchange, gateway);
}

function readBody(exchange: Exchange, gateway: Gateway): Promise<ChatRequest> | ChatRequest {
  // `TOLLGATE_UPLOAD_SECONDS` bounds the whole upload; the client receives its timeout as a reply.
  exchange.setIdleTimeout(0);
  requireJson(exchange.request.headers, "assumed");
  const bytes = receiveBody(exchange.request, gateway.maxBodyBytes);
  return bytes instanceof Promise ? validateAfter(bytes, exchange) : validate(bytes, exchange);
}

async function validateAfter(receiving: Promise<Buffer>, exchange: Exchange): Promise<ChatRequest> {
  return validate(await receiving, exchange);
}

function validate(bytes: Buffer, { notes }: Exchange): ChatRequest {
  const startedAt = performance.now();
  let chat: ReadChat;
  try {
    const body = parseJson(bytes);
    notes.receivedAt = performance.now();
    notes.requestBytes = body.bytes;
    refuseViolation(findChatViolation(body.outline));
    chat = new ReadChat(body);
  } finally {
    if (bytes.byteLength >= LARGE_BODY_BYTES) notes.readingMs = performance.now() - startedAt;
  }
  notes.requestedModel = truncate(chat.model, MAX_NAME_LENGTH);
  notes.isStream = chat.stream;
  return chat;
}

/** The fields that the gateway acts on are read once; the rest of the body stays unchanged. */
class ReadChat implements ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly #body: JsonBody;

  constructor(body: JsonBody) {
    const { model, stream, stream_options: streamOptions } = body.outline;
    this.model = model as string;
    this.stream = stream === true;
    this.includeUsage = isObject(streamOptions) && streamOptions["include_usage"] === true;
    this.#body = body;
  }

  get byteText(): ChatRequest["byteText"] {
    return this.#body.byteText;
  }

  get fields(): ChatRequest["fields"] {
    return this.#body.fields;
  }

  get outline(): ChatRequest["outline"] {
    return this.#body.outline;
  }

  get text(): string {
    return this.#body.text;
  }

  get body(): ChatRequest["body"] {
    return this.#body.value;
  }

  get messages(): ChatRequest["messages"] {
    return this.body["messages"] as ChatRequest["messages"];
  }
}

/** The suggested wait before a retry: by then, the other upload has probably ended. */
const RETRY_SECONDS = 1;

/** A payer without credit may still call a free model, but may have only one upload in flight. */
async function readUnpaid(exhausted: Headroom, caller: KeyRecord, exchange: Exchange, gateway: Gateway): Promise<ChatRequest> {
  const { unpaidUploads, bodies } = gateway;
  const payer = exhausted.spendLimit!.scope === "key" ? `key ${caller.id}` : `account ${caller.accountId}`;
  if (unpaidUploads.has(payer)) {
    bodies.noteRejected("one_at_a_time");
    throw uploadInProgress(exhausted);
  }
  unpaidUploads.add(payer);
  try {
    return await readBody(exchange, gateway);
  } finally {
    unpaidUploads.delete(payer);
  }
}

/** A 429 and not a 402: clients retry a 429, and the request may be for a free model. */
function uploadInProgress(exhausted: Headroom): ApiError {
  const reason = `${describeRemaining(exhausted)}, and without credit one request body is received at a time`;
  const message = `Another request body is being received: ${reason}. Please try again in ${RETRY_SECONDS}s.`;
  return new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: RETRY_SECONDS, detail: message });
}
