import { withReceipt } from "./receipt.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { toApiError } from "../../http/error-reply.ts";
import { EVENT_STREAM_HEADERS, EventStream, type EventStreamOptions } from "../../http/sse.ts";
import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";
import { isCountedAs } from "../../money/usage.ts";
import { namesInHeader } from "../../requests/map-parameters.ts";
import type { RequestNotes } from "../../requests/request-notes.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { droppedFields } from "../formats/caller-format.ts";
import { captureEvents } from "../capture-bodies.ts";
import type { IdempotencyLock } from "../idempotency-lock.ts";
import { settleJson } from "../settlement/settle.ts";
import { SettlingStream } from "../settlement/settling-stream.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/**
 * The reply to the client, settled before its end is sent. A failure before the first byte is thrown, so that it becomes an HTTP status.
 */
export function reply(response: PendingResponse, request: AdmittedRequest): Promise<Reply> {
  return response.kind === "events" ? replyWithEvents(response.opening, request) : replyWithJson(response.completion, request);
}

async function replyWithJson(pending: Promise<Completion>, request: AdmittedRequest): Promise<Reply> {
  const completion = await pending;
  const { modelRequest, admission, lock, exchange } = request;
  const counted = admission.count(completion, true);
  // `usage` states the charged counts: the upstream's counts, or the estimate if those are missing or implausible.
  const isUpstreamCount = isCountedAs(counted.usage, completion.usage);
  const body = isUpstreamCount ? completion.body : modelRequest.format.withUsage(completion.body, counted.usage);
  const headers = headersOf(request, JSON_HEADERS);
  const isClientGone = exchange.request.signal.aborted && admission.isReadOn && !lock;
  const end = isClientGone ? "the client disconnected before the end" : "complete";
  const entry = await settleJson(admission, counted, end, lock && storedReply(lock, headers, body));
  exchange.notes.charge = entry;
  if (isClientGone) throw new CallerGone();
  exchange.notes.replyBytes = Buffer.byteLength(body);
  exchange.notes.trace?.answered(body);
  exchange.notes.bodies?.capture(body);
  exchange.notes.mirror?.received([body]);
  const promptDerivation = completion.usage ? undefined : admission.promptDerivation;
  return new Reply(body, { headers: withReceipt(headers, entry!, promptDerivation) });
}

/** A separate function: a closure in `replyWithJson` would allocate an environment in every call. */
function storedReply(
  lock: IdempotencyLock,
  headers: Readonly<Record<string, string>>,
  body: string,
): ReturnType<IdempotencyLock["toReply"]> {
  return lock.toReply({ ...headers }, () => body);
}

async function replyWithEvents(opening: Promise<ChunkStream>, request: AdmittedRequest): Promise<Reply> {
  const { modelRequest, admission, lock, exchange, gateway } = request;
  const isOpen = await fulfilledWithin(gateway.keepAliveMs, opening);
  if (!isOpen) exchange.keepBodyUntil(opening);
  const { promise: ends, resolve } = Promise.withResolvers<void>();
  exchange.ends = ends;
  const { notes } = exchange;
  const headers = headersOf(request, EVENT_STREAM_HEADERS);
  const { includeUsage } = modelRequest;
  const format = modelRequest.format.openEvents(exchange.requestId);
  const source = new SettlingStream({ opening, admission, includeUsage, format, lock, headers, notes });
  const options = { format, keepAliveMs: gateway.keepAliveMs, startsIdle: !isOpen };
  return new Reply(eventStream(source, notes, options, resolve), { headers: { ...headers } });
}

/** A separate function: a closure in `replyWithEvents` would keep the request, with its prompt, in memory for the whole stream. */
function eventStream(
  source: SettlingStream,
  notes: RequestNotes,
  options: Pick<EventStreamOptions, "format" | "keepAliveMs" | "startsIdle">,
  ended: () => void,
): EventStream {
  return new EventStream({
    ...options,
    source: captureEvents(source, notes.bodies),
    toError: (thrown) => toApiError(thrown, notes),
    onEnd: (end, bytes) => {
      notes.end = end;
      notes.replyBytes = bytes;
      // The request ends when its charge is known, even if the client has disconnected, because the log reports the charge.
      void source.settled.then(ended);
    },
  });
}

/** The headers that are known before the charge: route, output limit, cache status, dropped parameters, deprecation. */
function headersOf(request: AdmittedRequest, more: Readonly<Record<string, string>>): Record<string, string> {
  const { modelRequest, admission } = request;
  const { state } = admission.requestedModel;
  const { maxTokens = admission.defaultMaxTokens, cache, parameterMapping, isRelayed } = admission;
  const headers: Record<string, string> = { ...more, ...admission.relayedHeaders };
  setRouteHeaders(headers, request);
  if (admission.isFallback) headers["x-tollgate-model"] = admission.model.id;
  if (maxTokens !== undefined) headers["x-tollgate-max-tokens"] = String(maxTokens);
  if (cache) headers["x-tollgate-cache"] = cache.hit ? "hit" : "miss";
  // A stream may start before the first attempt.
  const dropped =
    cache?.hit?.dropped ??
    (admission.lastUpstream === undefined ? [] : droppedFields(modelRequest, parameterMapping, isRelayed, admission.premium));
  if (dropped.length > 0) headers["x-tollgate-dropped"] = namesInHeader(dropped);
  if (state.name !== "deprecated") return headers;
  return { ...headers, "x-tollgate-shutdown-date": state.shutdownDate, "x-tollgate-replacement": state.replacement };
}

/** Whether the promise is fulfilled in time. A rejection in time is thrown. */
async function fulfilledWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sets the headers that name the upstream of the last attempt and the number of attempts. */
function setRouteHeaders(headers: Record<string, string>, { admission, gateway }: AdmittedRequest): void {
  const { lastUpstream, attempts } = admission;
  if (!gateway.sendsRouteHeaders || lastUpstream === undefined) return;
  headers["x-tollgate-upstream"] = lastUpstream;
  headers["x-tollgate-attempts"] = String(attempts);
}

/** Adds the same headers to an error reply. */
export function setRouteHeadersOnError(request: AdmittedRequest): void {
  const { exchange } = request;
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    setRouteHeaders(headers, request);
  };
}

/** A response that has not arrived yet: JSON, or a stream. */
export type PendingResponse =
  | { readonly kind: "json"; readonly completion: Promise<Completion> }
  | { readonly kind: "events"; readonly opening: Promise<ChunkStream> };
