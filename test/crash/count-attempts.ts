import type { Attempt } from "./call-attempt.ts";

/** The number of the clients' attempts by their end. */
export type AttemptCounts = Readonly<Record<"attempts" | "complete" | "cut" | "replayed" | "refused" | "away", number>>;

export function countAttempts(attempts: readonly Attempt[]): AttemptCounts {
  const refused = attempts.filter(({ end }) => end === "refused");
  return {
    attempts: attempts.length,
    complete: attempts.filter(({ end }) => end === "complete").length,
    cut: attempts.filter(({ end, status }) => end === "cut" && status === 200).length,
    replayed: attempts.filter(({ replays }) => replays !== null).length,
    refused: refused.filter(({ status }) => status === 402 || status === 429).length,
    away: refused.filter(({ status }) => status === 503).length,
  };
}
