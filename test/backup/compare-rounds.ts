import type { Attempt } from "../crash/call-attempt.ts";
import { chargesIn, discrepancies, type Logs } from "../crash/compare-logs.ts";

/** A backup, and the loss of everything after it. */
export interface Round {
  /** A time before the backup started. */
  readonly beganAtMs: number;
  /** When the gateways served requests again, from the backup. */
  readonly servedAtMs: number;
}

/**
 * Discrepancies between the logs of the clients, the upstream and the ledger, as sentences. A request that had ended before a backup
 * started is in the ledger permanently. A request that was in flight then, or arrived later, may be lost with everything after the backup,
 * or was ended as after a crash: it counts as cut.
 */
export function roundDiscrepancies(logs: Logs, rounds: readonly Round[]): string[] {
  const lost = lostIn(logs, rounds);
  // The clients have these responses, and need not send the requests again.
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

/** The attempts that overlap with the time between a backup and its restore, and whose end is not in the ledger. */
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

/** Whether the reply is from a gateway process whose owner is gone. Keys must stay valid, and credit must be available. */
function isAway({ status, retryAfter }: Attempt): boolean {
  return status === 503 && retryAfter !== null;
}
