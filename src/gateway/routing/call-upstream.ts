import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../../upstreams/upstream.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { sampleForMirror } from "../mirror/sample.ts";
import type { PendingResponse } from "../reply/pending-response.ts";
import { Attempts } from "./attempts.ts";
import { AttemptsOfRequest } from "./attempts-of-request.ts";
import { chooseRoute } from "./choose-route.ts";
import { FallbackCalls } from "./fallback-calls.ts";

/** Chooses a route and calls it, with failover to others. From here on the client's connection may be idle: upstream timeouts and its deadline limit the wait. */
export function callUpstream(request: AdmittedRequest): PendingResponse {
  const { chat, admission, exchange, gateway } = request;
  // With fallbacks, the choice is made for one model after the other.
  const choice = admission.fallbacks.length > 0 ? undefined : chooseRoute(chat, admission, gateway);
  exchange.setIdleTimeout(0);
  if (exchange.request.signal.aborted) throw new CallerGone();
  const budget = gateway.retryBudgets.of(admission.model.id);
  budget.noteRequest();
  const options = new AttemptsOfRequest(budget, request);
  const attempts = new Attempts(options);
  admission.failedAttempts = attempts.failed;
  exchange.notes.attempts = attempts.attempts;
  if (admission.model.mirror) sampleForMirror(request);
  if (!choice) return new FallbackCalls(attempts, options, request).start();
  if (chat.stream) return { kind: "events", opening: attempts.run(choice, stream) };
  return { kind: "json", completion: attempts.run(choice, complete) };
}

function complete(upstream: Upstream, call: UpstreamCall): Promise<Completion> {
  return upstream.complete(call);
}

function stream(upstream: Upstream, call: UpstreamCall): Promise<ChunkStream> {
  return upstream.stream(call);
}
