import type { LoggedAttempt } from "../../../../../platform-client/types.ts";

/** The times of a request. */
interface RequestTimes {
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly stream: boolean;
  readonly outcome: string;
}

/** A bar on the timeline, in percent. */
export interface Bar {
  readonly start: number;
  /** The time until the upstream failed or started to respond. */
  readonly waiting: number;
  /** The time during which the response was streamed. */
  readonly streaming: number;
  /** Whether the stream was interrupted. */
  readonly isInterrupted: boolean;
}

/** The minimum width of a bar. */
const MIN_PERCENT = 0.75;

/** The attempts on a timeline, and the position of the first token. */
export function layOut(
  request: RequestTimes,
  attempts: readonly Pick<LoggedAttempt, "started_ms" | "duration_ms" | "outcome">[],
): { readonly totalMs: number; readonly bars: readonly Bar[]; readonly firstToken: number | undefined } {
  const ends = attempts.map(({ started_ms: start, duration_ms: length }) => start + (length ?? 0));
  const totalMs = Math.max(request.duration_ms, ...ends);
  const place = (ms: number): number => (totalMs > 0 ? Math.min(100, Math.max(0, (ms / totalMs) * 100)) : 0);
  const bars = attempts.map((attempt): Bar => {
    const start = Math.min(place(attempt.started_ms), 100 - MIN_PERCENT);
    const end = Math.max(start + MIN_PERCENT, attempt.duration_ms === null ? 100 : place(attempt.started_ms + attempt.duration_ms));
    const isStreaming = request.stream && attempt.outcome === "answered";
    return {
      start,
      waiting: end - start,
      streaming: isStreaming ? Math.max(0, place(request.duration_ms) - end) : 0,
      isInterrupted: isStreaming && request.outcome === "failed",
    };
  });
  return { totalMs, bars, firstToken: request.first_token_ms === null ? undefined : place(request.first_token_ms) };
}
