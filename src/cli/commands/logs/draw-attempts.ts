import type { FailedAttempt, LoggedAttempt, LoggedRequestInFull } from "../../../../platform-client/types.ts";
import { formatDuration } from "../../format/format-values.ts";
import { terminalWidth } from "../../output.ts";
import { formatWrapped, widthsOf } from "../../format/table.ts";

const WAITING = "█";
const STREAMING = "░";
const BROKEN = "×";
const WIDEST = 40;
const NARROWEST = 10;
/** The borders of the timeline, and the gaps between the columns. */
const AROUND = 2 + 2 * 4;
/** The minimum width of the description of an attempt, which is wrapped. */
const WORDS = 30;

/** A waterfall of the attempts: the time to the response of each, and the duration of its stream. */
export function drawAttempts(attempts: readonly LoggedAttempt[], request: LoggedRequestInFull, width = terminalWidth()): string {
  const heads = [["", "UPSTREAM", "MODEL"], ...attempts.map(({ upstream, model }, at) => [String(at + 1), upstream, model])];
  const taken = widthsOf(heads).reduce((sum, each) => sum + each, AROUND + WORDS);
  const room = Math.min(WIDEST, (width ?? Number.POSITIVE_INFINITY) - taken);
  if (room < NARROWEST)
    return formatWrapped(
      attempts.map((attempt, at) => [String(at + 1), describeInSentence(attempt, request)]),
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

/** For terminals that are too narrow for the timeline. */
function describeInSentence(attempt: LoggedAttempt, request: LoggedRequestInFull): string {
  return `${attempt.upstream}, ${attempt.model}, ${describe(attempt, request)}`;
}

function barOf(attempt: LoggedAttempt, request: LoggedRequestInFull, width: number): string {
  const { duration_ms: total, stream: isStream } = request;
  const columnOf = (ms: number): number => (total > 0 ? Math.min(width, Math.round((ms / total) * width)) : 0);
  const endMs = attempt.started_ms + (attempt.duration_ms ?? total);
  const start = Math.min(width - 1, columnOf(attempt.started_ms));
  // At least one column, so that it is visible.
  const end = Math.max(start + 1, columnOf(endMs));
  const streamed = isStream && attempt.outcome === "answered" ? width - end : 0;
  const bar = " ".repeat(start) + WAITING.repeat(end - start) + STREAMING.repeat(streamed);
  return wasInterrupted(attempt, request) ? bar.slice(0, -1) + BROKEN : bar;
}

/** An attempt is counted as answered once its response starts. The outcome of its stream is the outcome of the request. */
function wasInterrupted({ outcome }: LoggedAttempt, request: LoggedRequestInFull): boolean {
  return request.stream && request.outcome === "failed" && outcome === "answered";
}

/** Why an attempt failed. */
export const FAULTS: Readonly<Record<FailedAttempt["fault"], string>> = {
  unreachable: "unreachable",
  proxy: "not connected by the egress proxy",
  busy: "busy",
  credential: "rejected the credential",
  failed: "failed",
  slow: "timed out",
  broken: "interrupted its response",
  unsupported: "input not supported",
  refused: "rejected the request",
};

const OUTCOMES: Readonly<Record<NonNullable<LoggedAttempt["outcome"]>, string>> = {
  ...FAULTS,
  answered: "responded",
  abandoned: "abandoned",
};

function describe(attempt: LoggedAttempt, request: LoggedRequestInFull): string {
  const { started_ms: started, duration_ms: duration, outcome, detail } = attempt;
  const what = outcome === null ? "did not finish" : OUTCOMES[outcome];
  const after = duration === null ? "" : ` after ${formatDuration(duration)}`;
  const end = wasInterrupted(attempt, request) ? `, interrupted at ${formatDuration(request.duration_ms)}` : "";
  return `at ${formatDuration(started)}: ${what}${after}${end}${detail === null ? "" : ` (${detail})`}`;
}
