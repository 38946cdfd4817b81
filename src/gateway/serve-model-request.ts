import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { CallerFormat, ModelRequest } from "./formats/caller-format.ts";
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
import { readModelRequest } from "./reading/read-model-request.ts";
import { reply, setRouteHeadersOnError } from "./reply/reply.ts";
import { callUpstream } from "./routing/call-upstream.ts";
import { settleFailure } from "./settlement/settle.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/**
 * A request to a model, from the first header to the last byte. A step that rejects the request throws the error that the client receives.
 */
export async function serveModelRequest(format: CallerFormat, exchange: Exchange, gateway: Gateway): Promise<Reply> {
  startTrace(exchange, gateway);
  const identified = identify(exchange, gateway);
  const caller = identified instanceof Promise ? await identified : identified;
  gateway.rejections.refuse(caller.id, exchange);
  try {
    const exhausted = exchange.request.isReceived ? undefined : await preCheck(format, caller, exchange, gateway);
    const modelRequest = await readModelRequest(format, caller, exhausted, exchange, gateway);
    exchange.notes.attribution = attribute(caller, modelRequest, exchange, gateway);
    exchange.notes.isAttributed = true;
    captureRequest(caller, modelRequest, exchange, gateway);
    if (isDryRun(exchange.request.headers)) return await dryRun(caller, modelRequest, exchange, gateway);
    return await replayOrServe(caller, modelRequest, exchange, gateway, admitAndServe);
  } catch (error) {
    const { readingMs } = exchange.notes;
    if (readingMs !== undefined) gateway.rejections.charge(caller.id, exchange.callerAddress(), readingMs);
    throw error;
  }
}

/** From its admission on, a request has a hold. The hold ends by settlement: in `reply`, or in `settleFailure`. */
async function admitAndServe(
  caller: KeyRecord,
  modelRequest: ModelRequest,
  exchange: Exchange,
  gateway: Gateway,
  lock: IdempotencyLock | undefined,
): Promise<Reply> {
  const admission = await admit(caller, modelRequest, exchange, gateway);
  exchange.notes.readingMs = undefined;
  lock?.releaseAfter(admission.closed);
  const request = { modelRequest, admission, lock, exchange, gateway };
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
