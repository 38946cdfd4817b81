import type { Incoming } from "../lib/http1/server/incoming.ts";
import { answer, type AnswerOptions } from "../http/answer.ts";
import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../access/api-key.ts";
import { CHAT_REQUEST_HEADERS } from "../requests/chat-headers.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import { CHAT_COMPLETIONS_PATH, chatCompletions } from "./chat-completions.ts";
import type { Gateway } from "./gateway.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/**
 * The other way in: for a call of the platform's by somebody who may use a key and does not have its text. `resolveCaller` says which key that
 * is, or throws. From here on it is a request like any other, under the same id, so that whoever looks it up finds both.
 */
export async function callAsKey(
  resolveCaller: () => KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
  options: AnswerOptions,
): Promise<Reply> {
  const { requestId, startedAtMs } = exchange;
  const asked: Exchange = {
    request: passOn(exchange.request),
    requestId,
    startedAtMs,
    notes: new RequestNotes(),
    setIdleTimeout: (seconds) => exchange.setIdleTimeout(seconds),
    markAuthenticated: (account) => exchange.markAuthenticated(account),
    keepBodyUntil: (settled) => exchange.keepBodyUntil(settled),
    callerAddress: () => exchange.callerAddress(),
  };
  asked.notes.actor = exchange.notes.actor;
  const handle = (): Promise<Reply> => chatCompletions(asked, { ...gateway, resolveCaller });
  const response = await answer({ path: CHAT_COMPLETIONS_PATH, handle }, asked, options);
  if (asked.ends) exchange.ends = asked.ends.then(() => noteOutcome(asked.notes, exchange.notes));
  else noteOutcome(asked.notes, exchange.notes);
  return response;
}

/** How it came out is told of both. What it cost is not: it would be added up twice. */
function noteOutcome({ end, code, param, detail }: RequestNotes, notes: RequestNotes): void {
  Object.assign(notes, { end, code, param, detail });
}

/** What a body needs to be read, who sends it and how long that waits, and what is said beside it. */
const PASSED_ON = [
  "content-type",
  "content-length",
  "content-encoding",
  "user-agent",
  "x-stainless-timeout",
  ...Object.keys(CHAT_REQUEST_HEADERS).map((name) => name.toLowerCase()),
];

/** The same request with few of its headers: its cookie and its token open the platform, and are nobody else's business. */
function passOn(request: Incoming): Incoming {
  const { method, target, params, headers, headerBytes, signal, isReceived } = request;
  const kept = new Map(PASSED_ON.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
  const fields = { get: (name: string) => kept.get(name) ?? null, has: (name: string) => kept.has(name) };
  return { method, target, params, headers: fields, headerBytes, signal, isReceived, bytes: (maxBytes) => request.bytes(maxBytes) };
}
