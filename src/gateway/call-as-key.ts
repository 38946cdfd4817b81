import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import { respond, type RespondOptions } from "../http/respond.ts";
import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../access/api-key.ts";
import { CHAT_REQUEST_HEADERS } from "../requests/chat-headers.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import { chatFormat } from "./formats/chat-format.ts";
import type { Gateway } from "./gateway.ts";
import { serveModelRequest } from "./serve-model-request.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/**
 * Calls a model from the platform, as a key whose plaintext the person does not have. `resolveCaller` returns the key, or throws. The call
 * is handled like any other request. It has the id of the platform request, so that a lookup by id finds both.
 */
export async function callAsKey(
  resolveCaller: () => KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
  options: RespondOptions,
): Promise<Reply> {
  const { requestId, startedAtMs } = exchange;
  const chatExchange: Exchange = {
    request: withoutCredentials(exchange.request),
    requestId,
    startedAtMs,
    notes: new RequestNotes(),
    setIdleTimeout: (seconds) => exchange.setIdleTimeout(seconds),
    // The platform request is already authenticated, as a person.
    markAuthenticated: () => undefined,
    keepBodyUntil: (settled) => exchange.keepBodyUntil(settled),
    callerAddress: () => exchange.callerAddress(),
  };
  chatExchange.notes.actor = exchange.notes.actor;
  const handle = (): Promise<Reply> => serveModelRequest(chatFormat, chatExchange, { ...gateway, resolveCaller });
  const response = await respond({ path: chatFormat.path, handle }, chatExchange, options);
  if (chatExchange.ends) exchange.ends = chatExchange.ends.then(() => noteOutcome(chatExchange.notes, exchange.notes));
  else noteOutcome(chatExchange.notes, exchange.notes);
  return response;
}

/** Both requests record the outcome. Only one records the charge, which would otherwise be summed twice. */
function noteOutcome({ end, code, param, detail }: RequestNotes, notes: RequestNotes): void {
  Object.assign(notes, { end, code, param, detail });
}

/** The headers of the body, of the client and its timeout, and the headers that chat completions define. */
const FORWARDED_HEADERS = [
  "content-type",
  "content-length",
  "content-encoding",
  "user-agent",
  "x-stainless-timeout",
  ...Object.keys(CHAT_REQUEST_HEADERS).map((name) => name.toLowerCase()),
];

/** The same request without its cookie and its token, which grant access to the platform. */
function withoutCredentials(request: IncomingRequest): IncomingRequest {
  const { method, target, params, headers, headerBytes, signal, isReceived } = request;
  const forwarded = new Map(FORWARDED_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
  const fields = { get: (name: string) => forwarded.get(name) ?? null, has: (name: string) => forwarded.has(name) };
  return { method, target, params, headers: fields, headerBytes, signal, isReceived, bytes: (maxBytes) => request.bytes(maxBytes) };
}
