import type { Exchange } from "../http/endpoint.ts";
import { toGatewayError } from "../http/error-reply.ts";
import { EVENT_STREAM_HEADERS, eventStream, type EventSource, type StreamEnd } from "../http/sse.ts";
import type { ChunkStream } from "../upstreams/upstream.ts";
import type { Model } from "../vocabulary/catalog.ts";
import type { Usage } from "../vocabulary/usage.ts";
import type { Answer } from "./call-upstream.ts";
import type { Gateway } from "./gateway.ts";

/** The answer as a response. What fails before its first byte is thrown, so that it becomes a real status. */
export async function reply(answer: Answer, model: Model, exchange: Exchange, gateway: Gateway): Promise<Response> {
  const headers = headersOf(model);
  if (answer.kind === "events") return replyWithEvents(answer.opening, headers, exchange, gateway);
  const { body, usage } = await answer.completion;
  recordUsage(usage, exchange);
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

async function replyWithEvents(
  opening: Promise<ChunkStream>,
  headers: Record<string, string>,
  exchange: Exchange,
  gateway: Gateway,
): Promise<Response> {
  const isOpen = await settlesWithin(gateway.keepAliveMs, opening);
  const { promise: ends, resolve } = Promise.withResolvers<void>();
  exchange.ends = ends;
  const body = eventStream({
    source: new LateSource(opening),
    keepAliveMs: gateway.keepAliveMs,
    startSilent: !isOpen,
    toError: (thrown) => toGatewayError(thrown, exchange.facts),
    onEnd: async (end) => {
      await recordEnd(end, opening, exchange);
      resolve();
    },
  });
  return new Response(body, { headers: { ...headers, ...EVENT_STREAM_HEADERS } });
}

/** Chunks that may not have begun: a model that thinks long gets its caller kept alive before its first word. */
class LateSource implements EventSource {
  readonly #opening: Promise<ChunkStream>;

  constructor(opening: Promise<ChunkStream>) {
    this.#opening = opening;
  }

  async read(): Promise<readonly string[] | undefined> {
    return (await this.#opening).read();
  }

  cancel(): void {
    void this.#opening.then(
      (chunks) => chunks.cancel(),
      () => undefined,
    );
  }
}

async function recordEnd(end: StreamEnd, opening: Promise<ChunkStream>, exchange: Exchange): Promise<void> {
  exchange.facts["end"] = end;
  const usage = await opening.then(
    (chunks) => chunks.usage,
    () => undefined,
  );
  recordUsage(usage, exchange);
}

function recordUsage(usage: Usage | undefined, { facts }: Exchange): void {
  facts["prompt_tokens"] = usage?.promptTokens;
  facts["completion_tokens"] = usage?.completionTokens;
}

/** Tells the callers of a deprecated model, on every answer, what is coming. */
function headersOf({ state }: Model): Record<string, string> {
  if (state.name !== "deprecated") return {};
  return { "x-tollgate-shutdown-date": state.shutdownDate, "x-tollgate-replacement": state.replacement };
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
