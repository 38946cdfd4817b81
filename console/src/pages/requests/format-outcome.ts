import type { LoggedAttempt, LoggedRequest } from "../../platform/interface.ts";
import { CODE_WORDS } from "./error-codes.ts";

type Outcome = LoggedRequest["outcome"];

/** In a word or two, for lists. */
export const OUTCOME_WORDS: Record<Outcome, string> = {
  complete: "answered",
  given_again: "given again",
  explained: "explained",
  refused: "refused",
  failed: "failed",
  left: "caller left",
};

export interface Explanation {
  readonly title: string;
  readonly what: string;
  /** What to do about it, where something can be done. */
  readonly advice: string | undefined;
}

/** What became of a request, and why, in sentences. */
export function explain(request: LoggedRequest): Explanation {
  const { outcome, code, param, stream: isStream, status } = request;
  if (outcome === "failed" || outcome === "refused") {
    const { title, what, advice } = wordsOf(code);
    const where = param === null ? "" : ` The field at fault is ${param}.`;
    const isBroken = outcome === "failed" && isStream && status === 200;
    return { title, what: `${isBroken ? "The stream broke off after it had begun. " : ""}${what}${where}`, advice };
  }
  return { ...ENDS[outcome], ...(outcome === "complete" && { what: howAnswered(request) }) };
}

/** A gateway that is newer than this page may have codes that it does not know. */
function wordsOf(code: string | null): Explanation {
  return code !== null && Object.hasOwn(CODE_WORDS, code) ? CODE_WORDS[code]! : UNKNOWN;
}

const UNKNOWN: Explanation = { title: "It did not work", what: "The request was not answered.", advice: undefined };

const ENDS: Record<Exclude<Outcome, "refused" | "failed">, Explanation> = {
  complete: { title: "Answered", what: "", advice: undefined },
  given_again: {
    title: "Answered again",
    what: "It came with an idempotency key that was used before, and got the answer that was kept. That is free.",
    advice: undefined,
  },
  explained: {
    title: "Only explained",
    what: "It was a dry run: the caller was told what would happen, and no upstream was asked.",
    advice: undefined,
  },
  left: {
    title: "The caller left",
    what: "The caller closed the connection before the answer was complete. What had come until then is charged.",
    advice: "Check the caller's own timeout if it did not mean to.",
  },
};

function howAnswered({ from_cache: isFromCache, attempts, stream: isStream }: LoggedRequest): string {
  if (isFromCache) return "The model keeps its answers, and gave one of them again. No upstream was asked.";
  const how = isStream ? "The answer was streamed to its end." : "The answer is complete.";
  return attempts > 1 ? `${how} It took ${attempts} attempts.` : how;
}

const ATTEMPT_WORDS: Record<NonNullable<LoggedAttempt["outcome"]>, string> = {
  answered: "answered",
  refused: "refused the request",
  abandoned: "was not waited for",
  unreachable: "could not be reached",
  busy: "was busy",
  credential: "refused our credential",
  failed: "failed",
  slow: "took too long",
  broken: "broke its answer off",
  unsupported: "does not support this input",
};

export function attemptWords(outcome: LoggedAttempt["outcome"]): string {
  return outcome === null ? "did not end" : ATTEMPT_WORDS[outcome];
}
