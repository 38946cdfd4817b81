import type { Exchange } from "../../http/endpoint.ts";
import { readJson, type JsonBody } from "../../http/read-json.ts";
import { truncate } from "../../lib/text/truncate.ts";
import { findChatViolation, type ChatRequest } from "../../requests/chat-request.ts";
import { refuseViolation } from "../../requests/gateway-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Gateway } from "../gateway.ts";

/** As much of a model's name as is noted: it may be anything. */
const MAX_NAME_LENGTH = 200;

/** The request's body, checked: what we act on in fields of its own, everything else untouched. */
export function readChat(exchange: Exchange, gateway: Gateway): Promise<ChatRequest> | ChatRequest {
  // `TOLLGATE_UPLOAD_SECONDS` bounds the whole upload; the caller then receives the reason in a reply.
  exchange.setIdleTimeout(0);
  const body = readJson(exchange.request, gateway.maxBodyBytes);
  return body instanceof Promise ? whenRead(body, exchange) : toChecked(body, exchange);
}

async function whenRead(coming: Promise<JsonBody>, exchange: Exchange): Promise<ChatRequest> {
  return toChecked(await coming, exchange);
}

function toChecked(body: JsonBody, { notes }: Exchange): ChatRequest {
  notes.receivedAt = performance.now();
  notes.requestBytes = body.bytes;
  refuseViolation(findChatViolation(body.outline));
  const chat = new ReadChat(body);
  notes.askedFor = truncate(chat.model, MAX_NAME_LENGTH);
  notes.isStream = chat.stream;
  return chat;
}

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
