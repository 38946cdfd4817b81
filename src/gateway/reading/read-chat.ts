import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Headroom } from "../../money/headroom.ts";
import { readJson, type JsonBody } from "../../http/read-json.ts";
import { truncate } from "../../lib/text/truncate.ts";
import { findChatViolation, type ChatRequest } from "../../requests/chat-request.ts";
import { refuseViolation } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Gateway } from "../gateway.ts";
import { readUnpaid } from "./unpaid-uploads.ts";

/** A model name in a request may be of any length; notes have no more of it than this. */
const MAX_NAME_LENGTH = 200;

/** Receives and validates the body. `exhausted` is the credit or spend cap that does not pay for it, as `preCheck` returns it. */
export function readChat(
  caller: KeyRecord,
  exhausted: Headroom | undefined,
  exchange: Exchange,
  gateway: Gateway,
): Promise<ChatRequest> | ChatRequest {
  return exhausted ? readUnpaid(exhausted, caller, exchange, gateway, readBody) : readBody(exchange, gateway);
}

function readBody(exchange: Exchange, gateway: Gateway): Promise<ChatRequest> | ChatRequest {
  // `TOLLGATE_UPLOAD_SECONDS` bounds the whole upload; the client receives its timeout as a reply.
  exchange.setIdleTimeout(0);
  const body = readJson(exchange.request, gateway.maxBodyBytes, "assumed");
  return body instanceof Promise ? validateAfter(body, exchange) : validate(body, exchange);
}

async function validateAfter(reading: Promise<JsonBody>, exchange: Exchange): Promise<ChatRequest> {
  return validate(await reading, exchange);
}

function validate(body: JsonBody, { notes }: Exchange): ChatRequest {
  notes.receivedAt = performance.now();
  notes.requestBytes = body.bytes;
  refuseViolation(findChatViolation(body.outline));
  const chat = new ReadChat(body);
  notes.askedFor = truncate(chat.model, MAX_NAME_LENGTH);
  notes.isStream = chat.stream;
  return chat;
}

/** The fields that the gateway acts on, read once; everything else untouched. */
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
