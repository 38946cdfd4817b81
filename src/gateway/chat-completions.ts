import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { ChatRequest } from "../requests/chat-request.ts";
import { admit } from "./admission/admit.ts";
import { attribute } from "./attribution.ts";
import { identify } from "./authentication.ts";
import { serveCached, storeInCache } from "./response-cache.ts";
import { captureRequest } from "./capture-bodies.ts";
import { dryRun, isDryRun } from "./dry-run/dry-run.ts";
import type { Gateway } from "./gateway.ts";
import { replayOrServe } from "./idempotency.ts";
import type { IdempotencyLock } from "./idempotency-lock.ts";
import { preCheck } from "./reading/pre-check.ts";
import { readChat } from "./reading/read-chat.ts";
import { reply, setRouteHeadersOnError } from "./reply/reply.ts";
import { callUpstream } from "./routing/call-upstream.ts";
import { settleFailure } from "./settlement/settle.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

export const CHAT_COMPLETIONS_PATH = "/v1/chat/completions";

/**
 * POST /v1/chat/completions, from the first header to the last byte. A step that rejects the request throws the error that the client
 * receives.
 */
export async function chatCompletions(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  startTrace(exchange, gateway);
  const identified = identify(exchange, gateway);
  const caller = identified instanceof Promise ? await identified : identified;
  gateway.rejections.refuse(caller.id, exchange);
  try {
    const exhausted = exchange.request.isReceived ? undefined : await preCheck(caller, exchange, gateway);
    const chat = await readChat(caller, exhausted, exchange, gateway);
    exchange.notes.attribution = attribute(caller, chat, exchange, gateway);
    exchange.notes.isAttributed = true;
    captureRequest(caller, chat, exchange, gateway);
    if (isDryRun(exchange.request.headers)) return await dryRun(caller, chat, exchange, gateway);
    return await replayOrServe(caller, chat, exchange, gateway, admitAndServe);
  } catch (error) {
    const { readingMs } = exchange.notes;
    if (readingMs !== undefined) gateway.rejections.charge(caller.id, exchange.callerAddress(), readingMs);
    throw error;
  }
}

/** From its admission on, a request has a hold. The hold ends by settlement: in `reply`, or in `settleFailure`. */
async function admitAndServe(
  caller: KeyRecord,
  chat: ChatRequest,
  exchange: Exchange,
  gateway: Gateway,
  lock: IdempotencyLock | undefined,
): Promise<Reply> {
  const admission = await admit(caller, chat, exchange, gateway);
  exchange.notes.readingMs = undefined;
  lock?.releaseAfter(admission.closed);
  const request = { chat, admission, lock, exchange, gateway };
  try {
    const response = serveCached(request) ?? storeInCache(callUpstream(request), request);
    return await reply(response, request);
  } catch (error) {
    settleFailure(request, error);
    setRouteHeadersOnError(request);
    throw error;
  }
}

/** Starts the span of a request if tracing is on. */
function startTrace({ request, notes }: Exchange, gateway: Gateway): void {
  if (!gateway.startTrace) return;
  notes.trace = gateway.startTrace(request.headers);
  notes.traceId = notes.trace.traceId;
}
