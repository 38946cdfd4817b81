import type { Exchange } from "../http/endpoint.ts";
import type { ChunkStream, Completion } from "../upstreams/upstream.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import type { ChosenRoute } from "./choose-route.ts";

/** An answer under way: whole, or in pieces. */
export type Answer =
  | { readonly kind: "json"; readonly completion: Promise<Completion> }
  | { readonly kind: "events"; readonly opening: Promise<ChunkStream> };

/** Starts the call. From here on nothing but the upstream's own timeouts, and the caller's leaving, limits the wait. */
export function callUpstream({ upstream, upstreamModel }: ChosenRoute, chat: ChatRequest, exchange: Exchange): Answer {
  exchange.allowSilence(0);
  const call = { chat, upstreamModel, signal: exchange.request.signal };
  return chat.stream ? { kind: "events", opening: upstream.stream(call) } : { kind: "json", completion: upstream.complete(call) };
}
