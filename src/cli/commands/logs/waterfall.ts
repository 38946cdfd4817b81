import { terminalWidth } from "../../output.ts";
import { formatWrapped } from "../../table.ts";
import type { AttemptView, RequestInFullView } from "../../views.ts";
import { inDuration } from "../../words.ts";

const WAITING = "█";
const STREAMING = "░";
const WIDEST = 40;
const NARROWEST = 10;
/** What stands beside the picture, about. */
const BESIDE = 60;

/** The tries under each other, on one line of time: how long each was waited for, and how long its answer then went on. */
export function drawAttempts(attempts: readonly AttemptView[], request: RequestInFullView): string {
  const width = Math.max(NARROWEST, Math.min(WIDEST, (terminalWidth() ?? WIDEST + BESIDE) - BESIDE));
  const rows = attempts.map((attempt, at) => [
    String(at + 1),
    attempt.upstream,
    attempt.model,
    `│${barOf(attempt, request, width).padEnd(width)}│`,
    describe(attempt),
  ]);
  const scale = `│${"0".padEnd(width - inDuration(request.duration_ms).length)}${inDuration(request.duration_ms)}│`;
  return formatWrapped([["", "UPSTREAM", "MODEL", scale, "ATTEMPT"], ...rows], terminalWidth());
}

function barOf(attempt: AttemptView, { duration_ms: total, stream: isStream }: RequestInFullView, width: number): string {
  const columnOf = (ms: number): number => (total > 0 ? Math.min(width, Math.round((ms / total) * width)) : 0);
  const endMs = attempt.started_ms + (attempt.duration_ms ?? total);
  const start = Math.min(width - 1, columnOf(attempt.started_ms));
  // However short it was, it is seen.
  const end = Math.max(start + 1, columnOf(endMs));
  const streamed = isStream && attempt.outcome === "answered" ? width - end : 0;
  return " ".repeat(start) + WAITING.repeat(end - start) + STREAMING.repeat(streamed);
}

const OUTCOMES: Readonly<Record<NonNullable<AttemptView["outcome"]>, string>> = {
  answered: "answered",
  refused: "refused the request",
  abandoned: "was not waited for",
  unreachable: "could not be reached",
  busy: "was busy",
  credential: "refused our credential",
  failed: "failed",
  slow: "took too long",
  broken: "broke its answer off",
};

function describe({ started_ms: started, duration_ms: duration, outcome, detail }: AttemptView): string {
  const what = outcome === null ? "did not end" : OUTCOMES[outcome];
  const after = duration === null ? "" : ` after ${inDuration(duration)}`;
  return `at ${inDuration(started)}: ${what}${after}${detail === null ? "" : ` (${detail})`}`;
}
