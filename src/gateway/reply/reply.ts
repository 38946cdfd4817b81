import { toGatewayError } from "../../http/error-reply.ts";
import { EVENT_STREAM_HEADERS, EventStream, type EventStreamOptions } from "../../http/sse.ts";
import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";
import { withField } from "../../lib/json/json-text.ts";
import { droppedToTell, namesInHeader } from "../../models/parameters/parameters.ts";
import type { RequestNotes } from "../../requests/request-notes.ts";
import { countTokens, usageToWire } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { Answer } from "./pending-response.ts";
import type { Claim } from "../idempotency/idempotency-lock.ts";
import { captureEvents } from "../capture/capture-bodies.ts";
import { setRouteHeaders } from "./route-headers.ts";
import { withReceipt } from "./receipt.ts";
import { SettlingStream } from "../settlement/settling-stream.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/** The answer as a response. What fails before its first byte is thrown, so that it becomes a real status. */
export function reply(answer: Answer, context: AdmittedRequest): Promise<Reply> {
  return answer.kind === "events" ? replyWithEvents(answer.opening, context) : replyWithJson(answer.completion, context);
}

/** The body leaves when its charge is durable, not before. */
async function replyWithJson(coming: Promise<Completion>, request: AdmittedRequest): Promise<Reply> {
  const completion = await coming;
  const { admission, claim, exchange } = request;
  const counted = countTokens(completion, admission.promptEstimate, true);
  // The caller sees what is charged: where that is not what the upstream counted, the estimate.
  const isOwn = counted.usage === completion.usage;
  const body = isOwn ? completion.body : withField(completion.body, "usage", JSON.stringify(usageToWire(counted.usage)));
  const headers = headersOf(request, JSON_HEADERS);
  const entry = await admission.settle(counted, "complete", claim && keptWhole(claim, headers, body));
  exchange.notes.charge = entry;
  exchange.notes.replyBytes = Buffer.byteLength(body);
  exchange.notes.trace?.answered(body);
  exchange.notes.bodies?.hear(body);
  const promptDerivation = completion.usage ? undefined : admission.promptDerivation;
  return new Reply(body, { headers: withReceipt(headers, entry!, promptDerivation) });
}

/** Apart: a function with a closure in it costs more, also where the closure is not made. */
function keptWhole(claim: Claim, headers: Readonly<Record<string, string>>, body: string): ReturnType<Claim["kept"]> {
  return claim.kept({ ...headers }, () => body);
}

async function replyWithEvents(opening: Promise<ChunkStream>, request: AdmittedRequest): Promise<Reply> {
  const { chat, admission, claim, exchange, gateway } = request;
  const isOpen = await settlesWithin(gateway.keepAliveMs, opening);
  if (!isOpen) exchange.keepBodyUntil(opening);
  const { promise: ends, resolve } = Promise.withResolvers<void>();
  exchange.ends = ends;
  const { notes } = exchange;
  const headers = headersOf(request, EVENT_STREAM_HEADERS);
  const source = new SettlingStream({ opening, admission, includeUsage: chat.includeUsage, claim, headers, notes });
  return new Reply(eventStream(source, notes, { keepAliveMs: gateway.keepAliveMs, startSilent: !isOpen }, resolve), {
    headers: { ...headers },
  });
}

/** Apart: a closure in an async function holds all that it was given, which is the prompt too, for as long as the stream takes. */
function eventStream(
  source: SettlingStream,
  notes: RequestNotes,
  silence: Pick<EventStreamOptions, "keepAliveMs" | "startSilent">,
  ended: () => void,
): EventStream {
  return new EventStream({
    ...silence,
    source: captureEvents(source, notes.bodies),
    toError: (thrown) => toGatewayError(thrown, notes),
    onEnd: (end, bytes) => {
      notes.end = end;
      notes.replyBytes = bytes;
      // The log says what was charged, also for an answer whose caller has left.
      void source.settled.then(ended);
    },
  });
}

/** Tells callers where the answer comes from, how long it can be, what was left out, whether it is a kept one, and what is coming. */
function headersOf(request: AdmittedRequest, more: Readonly<Record<string, string>>): Record<string, string> {
  const { chat, admission } = request;
  const { state } = admission.model;
  const { maxTokens = admission.defaultMaxTokens, cache, carriage } = admission;
  const headers: Record<string, string> = { ...more };
  setRouteHeaders(headers, request);
  if (maxTokens !== undefined) headers["x-tollgate-max-tokens"] = String(maxTokens);
  if (cache) headers["x-tollgate-cache"] = cache.kept ? "hit" : "miss";
  const dropped = cache?.kept?.dropped ?? droppedToTell(carriage, chat.outline);
  if (dropped.length > 0) headers["x-tollgate-dropped"] = namesInHeader(dropped);
  if (state.name !== "deprecated") return headers;
  return { ...headers, "x-tollgate-shutdown-date": state.shutdownDate, "x-tollgate-replacement": state.replacement };
}

/** Whether the promise is fulfilled in time. A rejection in time is thrown. */
async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
