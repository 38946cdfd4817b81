import type { LoggedAttempt, LoggedRequest } from "../../../../platform-client/types.ts";
import { ERROR_CODES } from "./error-codes.ts";

type Outcome = LoggedRequest["outcome"];

/** Short labels for lists. */
export const OUTCOME_LABELS: Record<Outcome, string> = {
  complete: "succeeded",
  replayed: "idempotent replay",
  dry_run: "dry run",
  refused: "rejected",
  failed: "failed",
  client_closed: "client disconnected",
};

interface OutcomeDescription {
  readonly title: string;
  readonly description: string;
  /** Advice, if the user can do something. */
  readonly advice: string | undefined;
}

/** The outcome of a request and its cause, in sentences. */
export function describeOutcome(request: LoggedRequest): OutcomeDescription {
  const { outcome, code, param, stream: isStream, status } = request;
  if (outcome === "failed" || outcome === "refused") {
    const { title, description, advice } = describeCode(code);
    const where = param === null ? "" : ` Invalid field: ${param}.`;
    const isInterrupted = outcome === "failed" && isStream && status === 200;
    return {
      title,
      description: `${isInterrupted ? "The stream was interrupted after it had started. " : ""}${description}${where}`,
      advice,
    };
  }
  return { ...DESCRIPTIONS[outcome], ...(outcome === "complete" && { description: describeSuccess(request) }) };
}

/** A newer gateway may return codes that this page does not know. */
function describeCode(code: string | null): OutcomeDescription {
  return code !== null && Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code]! : UNKNOWN;
}

const UNKNOWN: OutcomeDescription = {
  title: "Request failed",
  description: "The request failed with an unknown error code.",
  advice: undefined,
};

const DESCRIPTIONS: Record<Exclude<Outcome, "refused" | "failed">, OutcomeDescription> = {
  complete: { title: "Succeeded", description: "", advice: undefined },
  replayed: {
    title: "Idempotent replay",
    description: "The idempotency key was used before, so the stored response was returned. A replay is free.",
    advice: undefined,
  },
  dry_run: {
    title: "Dry run",
    description: "The response says how the request would be handled. No upstream was called.",
    advice: undefined,
  },
  client_closed: {
    title: "Client disconnected",
    description: "The client closed the connection before the response was complete. Tokens received up to then are charged.",
    advice: "If this was not intended, check the timeout of the client.",
  },
};

function describeSuccess({ from_cache: isFromCache, attempts, stream: isStream }: LoggedRequest): string {
  if (isFromCache) return "The response came from the response cache. No upstream was called.";
  const how = isStream ? "The response was streamed completely." : "The response was complete.";
  return attempts > 1 ? `${how} It took ${attempts} attempts.` : how;
}

const ATTEMPT_LABELS: Record<NonNullable<LoggedAttempt["outcome"]>, string> = {
  answered: "succeeded",
  refused: "rejected the request",
  abandoned: "cancelled",
  unreachable: "unreachable",
  proxy: "not connected by the egress proxy",
  busy: "overloaded",
  credential: "rejected the credential",
  failed: "failed",
  slow: "timed out",
  broken: "interrupted the response",
  unsupported: "does not support this input",
};

export function formatAttempt(outcome: LoggedAttempt["outcome"]): string {
  return outcome === null ? "not completed" : ATTEMPT_LABELS[outcome];
}
