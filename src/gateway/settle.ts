import { CallerGone } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { countTokens } from "../vocabulary/usage.ts";
import type { Admission } from "./admission.ts";

/**
 * Runs the rest of a request that was let in, and sees to it that a failure on the way ends its hold. An answer settles itself:
 * a whole one in `reply.ts`, a stream in `settling-stream.ts`, when it ends.
 */
export async function settleOnFailure(admission: Admission, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof CallerGone)) {
      admission.release(error instanceof GatewayError ? error.code : "internal_error");
    } else if (admission.upstream === undefined) {
      admission.release("the caller left");
    } else {
      // The upstream was at work for a caller who did not wait: the prompt at least was read.
      void admission.settle(countTokens({ usage: undefined, uncountedBytes: 0 }, admission.promptEstimate, false), "the caller left");
    }
    throw error;
  }
}
