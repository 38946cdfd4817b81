import { CallerGone } from "../../requests/caller-gone.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { countTokens } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { DeadlineExceeded } from "../routing/caller-deadline.ts";
import { setRouteHeadersOfFailure } from "../reply/route-headers.ts";

/**
 * Ends the hold of a request that was let in and then failed. An answer settles itself: a whole one in `reply.ts`, a stream in
 * `settling-stream.ts`, when it ends.
 */
export function settleFailure(request: AdmittedRequest, error: unknown): void {
  const { admission, exchange } = request;
  setRouteHeadersOfFailure(request);
  const left = howCallerLeft(error);
  if (left === undefined) {
    admission.release(error instanceof GatewayError ? error.code : "internal_error");
  } else if (admission.upstream === undefined) {
    admission.release(left);
  } else {
    // The upstream was at work for a caller who did not wait: the prompt at least was read.
    const counted = countTokens({ usage: undefined, uncountedBytes: 0 }, admission.promptEstimate, false);
    // It has ended when it is known what that costs: the log, and all who count, say what was charged.
    const settled = admission.settle(counted, left).then((entry) => void (exchange.notes.charge = entry));
    // A ledger that is closed charges nothing: the next start does.
    exchange.ends = settled.catch(() => undefined);
  }
}

/** How it was that the caller did not wait, for the ledger; undefined where something else went wrong. */
export function howCallerLeft(error: unknown): string | undefined {
  if (error instanceof DeadlineExceeded) return "the caller's time was up";
  return error instanceof CallerGone ? "the caller left" : undefined;
}
