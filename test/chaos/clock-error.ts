import type { Attempt } from "../crash/call-attempt.ts";
import type { Logs } from "../crash/compare-logs.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";

/**
 * The maximum clock error of a process: it knows the database's time as exactly as the database answers fast. Far below the error of a
 * shifted clock.
 */
const MAX_ERROR_MS = 1000;

/**
 * The logs as if the gateways' times were exact, in favour of the gateways: holds as early as their attempts, and everything else as late
 * as possible. A time with a larger error is not changed.
 */
export function withoutClockErrors(logs: Logs): Logs {
  const attempts = new Map(logs.attempts.filter(({ replays }) => replays === null).map((attempt) => [attempt.requestId, attempt]));
  // The hold of any other attempt is found by its ID.
  const unnamed = Map.groupBy(
    logs.attempts.filter(({ requestId }) => requestId === null),
    ({ keyId }) => keyId,
  );
  const entries = logs.entries.map((entry): LedgerRow => {
    if (entry.kind !== "hold") return { ...entry, at_ms: entry.at_ms + MAX_ERROR_MS };
    const attempt = attempts.get(entry.request_id) ?? nearest(entry.at_ms, unnamed.get(entry.key_id!) ?? []);
    if (!attempt || distance(entry.at_ms, attempt) > MAX_ERROR_MS) return entry;
    return { ...entry, at_ms: Math.min(Math.max(attempt.sentAtMs, entry.at_ms - MAX_ERROR_MS), attempt.endedAtMs) };
  });
  return { ...logs, entries };
}

/** The attempt that was in flight at a time, or the nearest attempt. */
function nearest(atMs: number, attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.reduce<Attempt | undefined>(
    (best, each) => (best && distance(atMs, best) <= distance(atMs, each) ? best : each),
    undefined,
  );
}

function distance(atMs: number, { sentAtMs, endedAtMs }: Attempt): number {
  return Math.max(0, sentAtMs - atMs, atMs - endedAtMs);
}
