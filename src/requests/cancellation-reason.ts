import { CallerGone } from "../lib/async/caller-gone.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";
import { ApiError } from "./api-error.ts";

/** The error that a cancelled call fails with: the signal's reason if it is an `ApiError`, otherwise `CallerGone`. */
export function reasonOf({ reason }: CancelSignal): Error {
  return reason instanceof ApiError ? reason : new CallerGone();
}
