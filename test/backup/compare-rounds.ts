import type { Attempt } from "../crash/call-attempt.ts";
import { chargesIn, discrepancies, type Logs } from "../crash/compare-logs.ts";

/** One backup, and the loss of everything after it. */
export interface Round {
  /** Before the backup was begun. */
  readonly beganAtMs: number;
  /** When the gateways served requests again, from the backup. */
  readonly servedAtMs: number;
}

/**
 * What callers, the upstream and the ledger say against each other, in words. A request that had ended before a backup began is in the ledger for ever.
 * One that was in flight then, or came later, may be lost with everything after the backup, or was ended as after a crash: it counts as cut.
 */
export function roundDiscrepancies(logs: Logs, rounds: readonly Round[]): string[] {
  const lost = lostIn(logs, rounds);
  // Their callers have the response, and need not ask again.
  const answered = new Set([...lost].filter(({ end }) => end === "complete").map(({ marker }) => marker));
  const attempts = logs.attempts.map((attempt): Attempt => {
    return {
      ...attempt,
      end: lost.has(attempt) ? "cut" : attempt.end,
      isIdempotent: attempt.isIdempotent && !answered.has(attempt.marker),
    };
  });
  const unheld = new Set(attemptsWithoutHold(logs).filter((attempt) => lost.has(attempt)));
  const byMarker = Map.groupBy(unheld, ({ marker }) => marker);
  const calls = logs.calls.filter(
    ({ marker, atMs }) => !byMarker.get(marker)?.some(({ sentAtMs, endedAtMs }) => sentAtMs <= atMs && atMs <= endedAtMs),
  );
  return discrepancies({ ...logs, attempts, calls }, isAway);
}

/** The attempts that overlap with the time between a backup and its restore, and are not in the ledger as they ended. */
export function lostIn(logs: Logs, rounds: readonly Round[]): ReadonlySet<Attempt> {
  const complete = new Set(
    logs.entries.filter(({ kind, actor }) => kind === "settle" && actor !== "recovery").map((entry) => entry.request_id),
  );
  const held = new Set(chargesIn(logs).flatMap(({ attempt }) => attempt ?? []));
  return new Set(
    logs.attempts.filter((attempt) => {
      const { sentAtMs, endedAtMs, end, replays, requestId } = attempt;
      const isExposed = rounds.some(({ beganAtMs, servedAtMs }) => endedAtMs >= beganAtMs && sentAtMs <= servedAtMs);
      return isExposed && (end === "complete" ? !complete.has(replays ?? requestId) : !held.has(attempt));
    }),
  );
}

function attemptsWithoutHold(logs: Logs): Attempt[] {
  const held = new Set(chargesIn(logs).flatMap(({ attempt }) => attempt ?? []));
  return logs.attempts.filter((attempt) => !held.has(attempt));
}

/** A gateway process whose owner is gone says so. Keys stay valid, and credit is there. */
function isAway({ status, retryAfter }: Attempt): boolean {
  return status === 503 && retryAfter !== null;
}
