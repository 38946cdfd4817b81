import type { Attempt } from "../crash/call-attempt.ts";
import { aboutEntries, chargesIn, discrepancies, type Logs } from "../crash/compare-logs.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";
import type { UpstreamCall } from "../crash/truthful-upstream.ts";
import { spendingDiscrepancies } from "../processes/kills/compare-spending.ts";
import type { Spenders } from "../processes/kills/spenders.ts";
import { ADMIT_SECONDS } from "./chaos-cluster.ts";
import { withoutClockErrors } from "./clock-error.ts";
import type { FaultKind } from "./faults.ts";

/** A change takes effect within a second in a connected process, and at the latest at the admission deadline in a disconnected process. */
const PROPAGATION_MS = 1000 + ADMIT_SECONDS * 1000;

/** Discrepancies between the logs of the clients, the upstream and the ledger, as sentences. */
export function chaosDiscrepancies(all: Logs, spenders: Spenders, faults: readonly FaultKind[]): string[] {
  const logs = withoutClockErrors({ ...all, entries: all.entries.map(withoutLateRequest) });
  const late = new LateRequests(logs);
  const isWrittenOff = faults.includes("written_off");
  const compared = isWrittenOff ? late.without() : logs;
  const losesReplies = faults.includes("restored_and_killed");
  const charged = new Set(chargesIn(logs).flatMap(({ closing, attempt }) => (closing?.kind === "settle" ? attempt?.marker : [])));
  return [
    ...new Set([
      ...aboutEntries(logs.entries),
      ...discrepancies(compared, (attempt) => mayRefuse(attempt, spenders) || (losesReplies && isLostReply(attempt, charged))),
      ...spendingDiscrepancies(compared, spenders, PROPAGATION_MS),
      ...(isWrittenOff ? late.wrong() : []),
    ]),
  ];
}

/** A late charge has its own request ID, which no client has sent. It is compared as a correction of the request that it refers to. */
function withoutLateRequest(entry: LedgerRow): LedgerRow {
  const { kind, request_id: requestId, amount_nanos: nanos } = entry;
  if (!requestId?.startsWith("late:")) return entry;
  const correction = { ...entry, kind: "adjustment" as const, request_id: null };
  return kind === "settle"
    ? { ...correction, reference: requestId, amount_nanos: -nanos }
    : { ...correction, reference: null, amount_nanos: 0 };
}

/** During a fault the allowed rejection is a 503 with a Retry-After. */
function mayRefuse(attempt: Attempt, spenders: Spenders): boolean {
  return spenders.mayRefuse(attempt) && (attempt.status !== 503 || attempt.retryAfter !== null);
}

/** The stored reply is lost, but its charge is not: the request is not served again. */
function isLostReply({ isIdempotent, status, marker }: Attempt, charged: ReadonlySet<string | undefined>): boolean {
  return isIdempotent && status === 400 && charged.has(marker);
}

/**
 * Requests of a process that was written off. Their ends are from the write-off, or missing, and the charges in the process's journal are
 * late.
 */
class LateRequests {
  readonly #logs: Logs;
  readonly #ends: ReadonlyMap<string | null, LedgerRow>;
  readonly #adjustments: ReadonlyMap<string, LedgerRow>;

  constructor(logs: Logs) {
    this.#logs = logs;
    const { entries } = logs;
    this.#ends = new Map(entries.filter(({ kind }) => kind === "settle" || kind === "release").map((entry) => [entry.request_id, entry]));
    const late = entries.filter(({ reference }) => reference?.startsWith("late:"));
    this.#adjustments = new Map(late.map((entry) => [entry.reference!.slice("late:".length), entry]));
  }

  /** The logs as if the clients of late requests had not received their complete replies, and without the calls that have no hold. */
  without(): Logs {
    const attempts = this.#logs.attempts.map((attempt): Attempt => (this.#isLate(attempt) ? { ...attempt, end: "cut" } : attempt));
    const held = new Set(chargesIn(this.#logs).map(({ attempt }) => attempt && keyOf(attempt)));
    const unheld = Map.groupBy(
      attempts.filter((attempt) => (attempt.end === "cut" || attempt.end === "left") && !held.has(keyOf(attempt))),
      ({ marker }) => marker,
    );
    const isUnheld = ({ marker, atMs }: UpstreamCall): boolean =>
      unheld.get(marker)?.some(({ sentAtMs, endedAtMs }) => sentAtMs <= atMs && atMs <= endedAtMs) ?? false;
    return { ...this.#logs, attempts, calls: this.#logs.calls.filter((call) => !isUnheld(call)) };
  }

  /** Discrepancies in late requests: a complete reply must be charged in full, by the write-off and the late charge together. */
  wrong(): string[] {
    const calls = Map.groupBy(this.#logs.calls, ({ marker }) => marker);
    return this.#logs.attempts
      .filter((attempt) => this.#isLate(attempt))
      .flatMap((attempt) => {
        const call = calls.get(attempt.marker)?.find(({ wholeText }) => wholeText === attempt.text);
        const charged = this.#chargedFor(attempt.requestId!);
        return call && charged === costOf(call) ? [] : [`${attempt.marker}, late, was charged ${charged} of ${call && costOf(call)}`];
      });
  }

  #isLate({ end, replays, requestId }: Attempt): boolean {
    if (end !== "complete" || replays !== null) return false;
    return this.#ends.get(requestId)?.actor === "recovery" || !this.#ends.has(requestId);
  }

  #chargedFor(requestId: string): number {
    const end = this.#ends.get(requestId);
    return (end?.kind === "settle" ? end.amount_nanos : 0) - (this.#adjustments.get(requestId)?.amount_nanos ?? 0);
  }
}

function costOf({ promptTokens, cachedTokens, generated }: UpstreamCall): number {
  return (promptTokens - cachedTokens) * 1000 + cachedTokens * 100 + generated * 2000;
}

/** Identifies an attempt: the attempts of a key do not overlap. */
function keyOf({ keyId, sentAtMs }: Attempt): string {
  return `${keyId} ${sentAtMs}`;
}
