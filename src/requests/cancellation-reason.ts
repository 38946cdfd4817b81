import type { CancelSignal } from "../lib/async/cancellation.ts";
import { GatewayError } from "./gateway-error.ts";

/** The caller closed its connection before the answer was whole. Nobody reads a reply to this; only the log will know. */
export class CallerGone extends Error {
  constructor() {
    super("The caller closed the connection.");
    this.name = "CallerGone";
  }
}

/** Why a signal ended a call: the caller has left, unless whoever made the signal has another reason. */
export function reasonOf({ reason }: CancelSignal): Error {
  return reason instanceof GatewayError ? reason : new CallerGone();
}
