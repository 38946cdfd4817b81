import type { Outcome } from "./logged-request.ts";
import type { EndedRequest } from "./request-notes.ts";

/** nginx's number for "the client closed the connection". */
export const CALLER_GONE_STATUS = 499;

/** How a request came out. */
export function outcomeOf({ status, notes }: EndedRequest): Outcome {
  if (status === CALLER_GONE_STATUS || notes.end === "caller_gone") return "client_closed";
  if (status >= 500 || notes.end === "failed") return "failed";
  if (status >= 400) return "refused";
  if (notes.isDryRun) return "dry_run";
  return notes.replayed === undefined ? "complete" : "replayed";
}
