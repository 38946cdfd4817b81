import type { Attempt } from "../../crash/call-attempt.ts";
import { chargesIn, type Charge, type Logs } from "../../crash/compare-logs.ts";
import type { LedgerRow } from "../../crash/read-ledger.ts";
import type { Spenders } from "./spenders.ts";

/**
 * Discrepancies between the ledger and the clients about credit, spend caps, rejections and retries, as sentences. `propagationMs`: how
 * long after its confirmation a raised cap may still be unknown to a process.
 */
export function spendingDiscrepancies(logs: Logs, spenders: Spenders, propagationMs = 0): string[] {
  return [
    ...aboutCredit(logs.entries),
    ...aboutCaps(logs.entries, spenders),
    ...aboutGrants(logs.entries, spenders),
    ...logs.attempts.filter(isFinal).flatMap((attempt) => aboutRefusal(attempt, logs.entries, spenders, propagationMs)),
    ...aboutRetries(logs, chargesIn(logs)),
  ];
}

/**
 * In these tests no cost is above its hold, so the credit never ends below zero. An exception are the charges of a process that was written
 * off and returned: others may have spent its credit meanwhile.
 */
function aboutCredit(entries: readonly LedgerRow[]): string[] {
  const wrong: string[] = [];
  for (const [account, own] of Map.groupBy(entries, ({ account_id: id }) => id)) {
    let credit = 0;
    for (const { id, kind, amount_nanos: nanos, reference } of own) {
      if (kind === "grant" || (kind === "adjustment" && !isLate(reference))) credit += nanos;
      if (kind === "settle") credit -= nanos;
      if (credit < 0) wrong.push(`${account} has a credit of ${credit} after the entry ${id}`);
    }
  }
  return wrong;
}

function isLate(reference: string | null): boolean {
  return reference?.startsWith("late:") ?? false;
}

function aboutCaps(entries: readonly LedgerRow[], { caps }: Spenders): string[] {
  return caps.flatMap(({ scope, id, maxNanos }) => {
    const own = entries.filter((entry) => entry.kind === "settle" && (scope === "key" ? entry.key_id : entry.account_id) === id);
    const spent = sum(own);
    return BigInt(spent) > maxNanos ? [`the ${scope} ${id} has spent ${spent} of at most ${maxNanos}`] : [];
  });
}

function aboutGrants(entries: readonly LedgerRow[], { granted }: Spenders): string[] {
  const found = Map.groupBy(entries, (entry) => entry.reference);
  return granted.flatMap((reference) => (found.get(reference)?.length === 1 ? [] : [`the ${reference} is not in the ledger once`]));
}

/** `credits_in_flight` is not final: it asks the client to retry, and amounts leased by other processes also count as held. */
function isFinal({ status, code }: Attempt): boolean {
  return status === 402 && code !== "credits_in_flight";
}

/**
 * A request may be rejected for lack of credit only if holds and charges left less than it needed. A process that is written off later also
 * counts its own charges, which become adjustments.
 */
function aboutRefusal(attempt: Attempt, entries: readonly LedgerRow[], spenders: Spenders, propagationMs: number): string[] {
  const account = spenders.accountOf(attempt.keyId);
  const inAccount = entries.filter((entry) => entry.account_id === account);
  const needed = entries.reduce((most, entry) => (entry.kind === "hold" ? Math.max(most, entry.amount_nanos) : most), 0);
  const grants = inAccount.filter(({ kind, at_ms: atMs }) => kind === "grant" && atMs < attempt.sentAtMs);
  const late = inAccount.filter(({ reference, amount_nanos: nanos }) => isLate(reference) && nanos < 0);
  const left = [sum(grants) + sum(late) - usedOf(inAccount, attempt)];
  for (const { scope, id, confirmed } of spenders.capsOf(attempt.keyId)) {
    const own = scope === "key" ? inAccount.filter((entry) => entry.key_id === id) : inAccount;
    const inForce = confirmed.findLast(({ atMs }) => atMs + propagationMs < attempt.sentAtMs)!;
    const lateOwn = scope === "key" ? late.filter(({ reason }) => reason.includes(`key ${id})`)) : late;
    left.push(Number(inForce.nanos) + sum(lateOwn) - usedOf(own, attempt));
  }
  const least = Math.min(...left);
  return least < needed ? [] : [`${attempt.marker} was refused with ${attempt.code} where ${least} of ${needed} were left`];
}

/** The maximum amount that can have been charged or held at some time of an attempt. */
function usedOf(entries: readonly LedgerRow[], { sentAtMs, endedAtMs }: Attempt): number {
  const closings = new Map(entries.filter(({ kind }) => kind === "settle" || kind === "release").map((entry) => [entry.request_id, entry]));
  let used = 0;
  for (const hold of entries) {
    if (hold.kind !== "hold" || hold.at_ms > endedAtMs) continue;
    const closing = closings.get(hold.request_id);
    const wasOpen = !closing || closing.at_ms >= sentAtMs;
    used += wasOpen ? hold.amount_nanos : closing.kind === "settle" ? closing.amount_nanos : 0;
  }
  return used;
}

/** With an idempotency key, the upstream is called again only if a kill ended the first call. */
function aboutRetries({ calls, attempts }: Logs, charges: readonly Charge[]): string[] {
  const idempotent = new Set(attempts.filter(({ isIdempotent }) => isIdempotent).map(({ marker }) => marker));
  const made = Map.groupBy(calls, ({ marker }) => marker);
  const recovered = Map.groupBy(
    charges.filter(({ closing }) => closing?.actor === "recovery"),
    ({ attempt }) => attempt?.marker,
  );
  return [...idempotent].flatMap((marker) => {
    const count = made.get(marker)?.length ?? 0;
    const killed = recovered.get(marker)?.length ?? 0;
    return count > 1 + killed ? [`${marker} was sent to the upstream ${count} times, and killed ${killed} times`] : [];
  });
}

function sum(entries: readonly LedgerRow[]): number {
  return entries.reduce((total, entry) => total + entry.amount_nanos, 0);
}
