import { toGatewayError } from "../http/error-reply.ts";
import { EVENT_STREAM_HEADERS, eventStream } from "../http/sse.ts";
import type { ChunkStream, Completion } from "../upstreams/upstream.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { withField } from "../vocabulary/json-text.ts";
import { droppedToTell, namesInHeader } from "../vocabulary/parameters.ts";
import { countTokens, usageToWire } from "../vocabulary/usage.ts";
import type { Admission } from "./admission/admission.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import type { Answer } from "./answer.ts";
import { receiptHeaders } from "./settlement/receipt.ts";
import { recordCharge } from "./settlement/record-charge.ts";
import { SettlingStream } from "./settlement/settling-stream.ts";

/** The answer as a response. What fails before its first byte is thrown, so that it becomes a real status. */
export async function reply(answer: Answer, context: AdmittedRequest): Promise<Response> {
  if (answer.kind === "events") return replyWithEvents(answer.opening, context);
  return replyWithJson(await answer.completion, context);
}

/** The body leaves when its charge is durable, not before. */
async function replyWithJson(completion: Completion, { chat, admission, claim, exchange }: AdmittedRequest): Promise<Response> {
  const counted = countTokens(completion, admission.promptEstimate, true);
  const body = completion.usage ? completion.body : withField(completion.body, "usage", JSON.stringify(usageToWire(counted.usage)));
  const headers = { ...headersOf(admission, chat), "content-type": "application/json" };
  const entry = await admission.settle(
    counted,
    "complete",
    claim?.kept(headers, () => body),
  );
  recordCharge(entry!, exchange.facts);
  return new Response(body, { headers: { ...headers, ...receiptHeaders(entry!) } });
}

async function replyWithEvents(
  opening: Promise<ChunkStream>,
  { chat, admission, claim, exchange, gateway }: AdmittedRequest,
): Promise<Response> {
  const isOpen = await settlesWithin(gateway.keepAliveMs, opening);
  const { promise: ends, resolve } = Promise.withResolvers<void>();
  exchange.ends = ends;
  const headers = { ...headersOf(admission, chat), ...EVENT_STREAM_HEADERS };
  const source = new SettlingStream({ opening, admission, includeUsage: chat.includeUsage, claim, headers, facts: exchange.facts });
  const body = eventStream({
    source,
    keepAliveMs: gateway.keepAliveMs,
    startSilent: !isOpen,
    toError: (thrown) => toGatewayError(thrown, exchange.facts),
    onEnd: (end) => {
      exchange.facts["end"] = end;
      // The log says what was charged, also for an answer whose caller has left.
      void source.settled.then(() => resolve());
    },
  });
  return new Response(body, { headers });
}

/** Tells callers of a deprecated model what is coming, how long their answer can be, what was left out, and whether it is a kept one. */
function headersOf(
  { model: { state }, maxTokens: ownLimit, filledInLimit, cache, carriage }: Admission,
  chat: ChatRequest,
): Record<string, string> {
  const dropped = cache?.kept?.dropped ?? droppedToTell(carriage, chat.body);
  const maxTokens = ownLimit ?? filledInLimit;
  return {
    ...(state.name === "deprecated" && { "x-tollgate-shutdown-date": state.shutdownDate, "x-tollgate-replacement": state.replacement }),
    ...(maxTokens !== undefined && { "x-tollgate-max-tokens": String(maxTokens) }),
    ...(cache && { "x-tollgate-cache": cache.kept ? "hit" : "miss" }),
    ...(dropped.length > 0 && { "x-tollgate-dropped": namesInHeader(dropped) }),
  };
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
