import type { Exchange } from "../http/endpoint.ts";
import type { ChunkStream, Completion, UpstreamCall } from "../upstreams/upstream.ts";
import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { EVERYTHING } from "../vocabulary/parameters.ts";
import { credentialsOf, DEFAULT_TIMEOUTS } from "../vocabulary/upstream-settings.ts";
import type { Admission } from "./admission.ts";
import type { ChosenRoute } from "./choose-route.ts";
import type { Claim } from "./claim.ts";

/** An answer under way: whole, or in pieces. */
export type Answer =
  | { readonly kind: "json"; readonly completion: Promise<Completion> }
  | { readonly kind: "events"; readonly opening: Promise<ChunkStream> };

/** Never aborted. */
const NEVER = new AbortController().signal;

/** Starts the call. From here on nothing but the upstream's own timeouts, and the caller's leaving, limits the wait. */
export function callUpstream(
  route: ChosenRoute,
  chat: ChatRequest,
  admission: Admission,
  claim: Claim | undefined,
  exchange: Exchange,
): Answer {
  exchange.allowSilence(0);
  if (exchange.request.signal.aborted) throw new CallerGone();
  admission.upstream = route.upstreamId;
  // An answer that is kept for another try is worth having after the caller is gone.
  const signal = claim ? NEVER : exchange.request.signal;
  const { settings } = route.upstream;
  const call: UpstreamCall = {
    chat,
    upstreamModel: route.upstreamModel,
    carriage: EVERYTHING,
    maxTokens: admission.maxTokens,
    reckonedTokens: admission.reckonedTokens,
    credential: credentialsOf(settings)[0],
    timeouts: settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts,
    signal,
    report: () => undefined,
  };
  if (chat.stream) return { kind: "events", opening: route.upstream.stream(call) };
  return { kind: "json", completion: route.upstream.complete(call) };
}
