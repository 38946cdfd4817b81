import type { UpstreamFault } from "../../models/upstream-fault.ts";
import type { FailureScope } from "./route-choice.ts";

/** After how long a retry at the same upstream may succeed; undefined where that is not known. */
export function retryableAfterMs({ kind, retryAfterMs, isFinal = false }: UpstreamFault): number | undefined {
  if (isFinal) return undefined;
  if (kind === "unreachable" || kind === "proxy" || kind === "failed") return retryAfterMs ?? 0;
  return kind === "busy" ? retryAfterMs : undefined;
}

/** Whether the fault is temporary, so that the client should retry. */
export function isTransient({ kind, isFinal = false }: UpstreamFault): boolean {
  return !isFinal && (kind === "unreachable" || kind === "proxy" || kind === "busy" || kind === "failed" || kind === "broken");
}

/** What the fault excludes from further attempts: the route, its credential for this model (429), or its credential for every model (401). */
export function scopeOf({ kind }: UpstreamFault): FailureScope {
  if (kind === "credential") return "credential";
  return kind === "busy" ? "rate limit" : "route";
}

/** Whether the fault concerns the credential, the request or the egress proxy: it must not eject the upstream for others. */
export function isUnrelatedToHealth({ kind }: UpstreamFault): boolean {
  return kind === "busy" || kind === "credential" || kind === "unsupported" || kind === "proxy";
}

/**
 * Whether the next attempt takes nothing from the retry budget, which all requests of a model share. Where the request is the reason, each
 * route is called at most once, and such requests must not use up the budget that others need when an upstream fails.
 */
export function isExemptFromBudget({ kind }: UpstreamFault): boolean {
  return kind === "unsaid" || kind === "unsupported";
}
