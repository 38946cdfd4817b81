import type { LoggedAttempt } from "../../platform/interface.ts";

/** What the line of time is drawn from. */
interface Timed {
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly stream: boolean;
  readonly outcome: string;
}

/** Where a bar stands on the line of time, in parts of a hundred. */
export interface Bar {
  readonly start: number;
  /** Until the upstream failed, or began to answer. */
  readonly waiting: number;
  /** While its answer went on. */
  readonly streaming: number;
  /** Whether the answer broke off at the end of it. */
  readonly isBroken: boolean;
}

/** However short something was, it is seen. */
const LEAST = 0.75;

/** The attempts on one line of time, and where the first token was. */
export function layOut(
  request: Timed,
  attempts: readonly Pick<LoggedAttempt, "started_ms" | "duration_ms" | "outcome">[],
): { readonly totalMs: number; readonly bars: readonly Bar[]; readonly firstToken: number | undefined } {
  const ends = attempts.map(({ started_ms: start, duration_ms: length }) => start + (length ?? 0));
  const totalMs = Math.max(request.duration_ms, ...ends);
  const place = (ms: number): number => (totalMs > 0 ? Math.min(100, Math.max(0, (ms / totalMs) * 100)) : 0);
  const bars = attempts.map((attempt): Bar => {
    const start = Math.min(place(attempt.started_ms), 100 - LEAST);
    const end = Math.max(start + LEAST, attempt.duration_ms === null ? 100 : place(attempt.started_ms + attempt.duration_ms));
    const isStreaming = request.stream && attempt.outcome === "answered";
    return {
      start,
      waiting: end - start,
      streaming: isStreaming ? Math.max(0, place(request.duration_ms) - end) : 0,
      isBroken: isStreaming && request.outcome === "failed",
    };
  });
  return { totalMs, bars, firstToken: request.first_token_ms === null ? undefined : place(request.first_token_ms) };
}
