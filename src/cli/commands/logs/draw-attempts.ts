import type { LoggedAttempt, LoggedRequestInFull } from "../../../../platform-client/types.ts";
import { formatDuration } from "../../format-values.ts";
import { terminalWidth } from "../../output.ts";
import { formatWrapped, widthsOf } from "../../table.ts";

const WAITING = "█";
const STREAMING = "░";
const BROKEN = "×";
const WIDEST = 40;
const NARROWEST = 10;
/** The bars at both sides of the picture, and the gaps between the columns. */
const AROUND = 2 + 2 * 4;
/** What is said of each try goes on under itself, but is not pressed into less than this. */
const WORDS = 30;

/** The tries under each other, on one line of time: how long each was waited for, and how long its answer then went on. */
export function drawAttempts(attempts: readonly LoggedAttempt[], request: LoggedRequestInFull, width = terminalWidth()): string {
  const heads = [["", "UPSTREAM", "MODEL"], ...attempts.map(({ upstream, model }, at) => [String(at + 1), upstream, model])];
  const taken = widthsOf(heads).reduce((sum, each) => sum + each, AROUND + WORDS);
  const room = Math.min(WIDEST, (width ?? Number.POSITIVE_INFINITY) - taken);
  if (room < NARROWEST)
    return formatWrapped(
      attempts.map((attempt, at) => [String(at + 1), inASentence(attempt, request)]),
      width,
    );
  const total = formatDuration(request.duration_ms);
  const pictures = [`0${total.padStart(room - 1)}`, ...attempts.map((attempt) => barOf(attempt, request, room).padEnd(room))];
  const words = ["ATTEMPT", ...attempts.map((attempt) => describe(attempt, request))];
  return formatWrapped(
    heads.map((head, at) => [...head, `│${pictures[at]}│`, words[at]!]),
    width,
  );
}

/** Where there is no room for a picture. */
function inASentence(attempt: LoggedAttempt, request: LoggedRequestInFull): string {
  return `${attempt.upstream}, ${attempt.model}, ${describe(attempt, request)}`;
}

function barOf(attempt: LoggedAttempt, request: LoggedRequestInFull, width: number): string {
  const { duration_ms: total, stream: isStream } = request;
  const columnOf = (ms: number): number => (total > 0 ? Math.min(width, Math.round((ms / total) * width)) : 0);
  const endMs = attempt.started_ms + (attempt.duration_ms ?? total);
  const start = Math.min(width - 1, columnOf(attempt.started_ms));
  // However short it was, it is seen.
  const end = Math.max(start + 1, columnOf(endMs));
  const streamed = isStream && attempt.outcome === "answered" ? width - end : 0;
  const bar = " ".repeat(start) + WAITING.repeat(end - start) + STREAMING.repeat(streamed);
  return hasBrokenOff(attempt, request) ? bar.slice(0, -1) + BROKEN : bar;
}

/** An attempt has answered when it begins to. What became of its stream is told of the request. */
function hasBrokenOff({ outcome }: LoggedAttempt, request: LoggedRequestInFull): boolean {
  return request.stream && request.outcome === "failed" && outcome === "answered";
}

const OUTCOMES: Readonly<Record<NonNullable<LoggedAttempt["outcome"]>, string>> = {
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

function describe(attempt: LoggedAttempt, request: LoggedRequestInFull): string {
  const { started_ms: started, duration_ms: duration, outcome, detail } = attempt;
  const what = outcome === null ? "did not end" : OUTCOMES[outcome];
  const after = duration === null ? "" : ` after ${formatDuration(duration)}`;
  const end = hasBrokenOff(attempt, request) ? `, broke off at ${formatDuration(request.duration_ms)}` : "";
  return `at ${formatDuration(started)}: ${what}${after}${end}${detail === null ? "" : ` (${detail})`}`;
}
