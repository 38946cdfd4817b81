import type { UpstreamFault } from "../../models/upstream-fault.ts";
import type { FailureScope } from "./route-choice.ts";

/** When the same upstream might do better; undefined where that is not known. */
export function worthAskingAfter({ kind, retryAfterMs, isFinal = false }: UpstreamFault): number | undefined {
  if (isFinal) return undefined;
  if (kind === "unreachable" || kind === "failed") return retryAfterMs ?? 0;
  return kind === "busy" ? retryAfterMs : undefined;
}

/** Whether it may pass by itself, so that a retry of the client is worth it. */
export function isTransient({ kind, isFinal = false }: UpstreamFault): boolean {
  return !isFinal && (kind === "unreachable" || kind === "busy" || kind === "failed" || kind === "broken");
}

/** What is not to be tried again: the route, its credential for this model (429), or its credential for every model (401). */
export function scopeOf({ kind }: UpstreamFault): FailureScope {
  if (kind === "credential") return "credential";
  return kind === "busy" ? "rate limit" : "route";
}

/** What is about the credential or the request must not take the upstream out for others. */
export function saysNothingOfHealth({ kind }: UpstreamFault): boolean {
  return kind === "busy" || kind === "credential" || kind === "unsupported";
}

/**
 * Whether the next try costs nothing of the retry budget, which all requests of a model share: where the request decided it, each
 * route is asked once at the most, and its requests must not use up what others need when an upstream fails.
 */
export function isFreeOfBudget({ kind }: UpstreamFault): boolean {
  return kind === "unsaid" || kind === "unsupported";
}
