import type { Outcome } from "./logged-request.ts";
import type { EndedRequest } from "./request-notes.ts";

/** nginx's status for "client closed request". */
export const CALLER_GONE_STATUS = 499;

/** The outcome of a request. */
export function outcomeOf({ status, notes }: EndedRequest): Outcome {
  if (status === CALLER_GONE_STATUS || notes.end === "caller_gone") return "client_closed";
  if (status >= 500 || notes.end === "failed") return "failed";
  if (status >= 400) return "refused";
  if (notes.isDryRun) return "dry_run";
  return notes.replayed === undefined ? "complete" : "replayed";
}
