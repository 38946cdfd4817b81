import { parseDollars } from "../../src/money/money.ts";
import type { Attempt } from "./call-attempt.ts";
import type { LedgerRow } from "./read-ledger.ts";
import type { UpstreamCall } from "./truthful-upstream.ts";

/** Three logs of the same period, from three processes that share nothing. */
export interface Logs {
  readonly entries: readonly LedgerRow[];
  readonly attempts: readonly Attempt[];
  readonly calls: readonly UpstreamCall[];
}

/** A request in the ledger, and the client's attempt that made it. */
export interface Charge {
  readonly hold: LedgerRow;
  readonly closing: LedgerRow | undefined;
  readonly attempt: Attempt | undefined;
}

/**
 * All discrepancies between the three logs, as sentences. The list should be empty. Rejections are discrepancies, unless `mayRefuse` allows
 * them.
 */
export function discrepancies(logs: Logs, mayRefuse: (attempt: Attempt) => boolean = () => false): string[] {
  const charges = chargesIn(logs);
  return [
    ...aboutEntries(logs.entries),
    ...charges.flatMap((charge) => aboutHold(charge)),
    ...aboutCalls(logs, charges),
    ...aboutMarkers(logs, charges),
    ...aboutReplies(logs, charges, mayRefuse),
    ...aboutSettlements(logs, charges),
  ];
}

/**
 * The ledger has no markers. But each client has its own key, and its attempts do not overlap, so a hold belongs to the attempt of its key
 * that was in flight when the hold was made.
 */
export function chargesIn({ entries, attempts }: Logs): Charge[] {
  const closings = Map.groupBy(
    entries.filter(({ kind }) => kind === "settle" || kind === "release"),
    (entry) => entry.request_id,
  );
  const byKey = Map.groupBy(attempts, ({ keyId }) => keyId);
  const holds = entries.filter(({ kind }) => kind === "hold");
  return holds.map((hold) => ({
    hold,
    closing: closings.get(hold.request_id)?.[0],
    attempt: attemptAt(hold.at_ms, byKey.get(hold.key_id!) ?? []),
  }));
}

/** The attempt that was in flight at this time. Attempts are ordered by time. */
function attemptAt(atMs: number, attempts: readonly Attempt[]): Attempt | undefined {
  let [low, high] = [0, attempts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (attempts[middle]!.endedAtMs < atMs) low = middle + 1;
    else high = middle;
  }
  const found = attempts[low];
  return found && found.sentAtMs <= atMs ? found : undefined;
}

/** Checks the ledger alone: numbered without gaps, one hold and one end for each request, the end after the hold. */
export function aboutEntries(entries: readonly LedgerRow[]): string[] {
  const wrong = entries.flatMap((entry, at) => (entry.id === at + 1 ? [] : [`entry ${entry.id} stands at place ${at + 1}`]));
  const requests = Map.groupBy(
    entries.filter((entry) => entry.request_id !== null),
    (entry) => entry.request_id,
  );
  for (const [id, [hold, ...closings]] of requests) {
    if (hold?.kind !== "hold") wrong.push(`${id} does not begin with a hold`);
    if (closings.length === 0) wrong.push(`${id} is still held`);
    if (closings.length > 1) wrong.push(`${id} has ${closings.length} ends`);
    if (closings.some(({ kind, hold_id: holdId }) => kind === "hold" || holdId !== hold?.id))
      wrong.push(`${id} has an end that is not its own`);
  }
  return wrong;
}

function aboutHold({ hold, attempt }: Charge): string[] {
  if (!attempt) return [`${hold.request_id} is held, and nobody asked for it`];
  if (attempt.requestId !== null && attempt.replays === null && attempt.requestId !== hold.request_id) {
    return [`${hold.request_id} is held for ${attempt.marker}, whose caller knows it as ${attempt.requestId}`];
  }
  return [];
}

/** Checks that no call reaches the upstream before its hold is in the ledger. */
function aboutCalls({ calls }: Logs, charges: readonly Charge[]): string[] {
  const holds = Map.groupBy(charges, ({ attempt }) => attempt?.marker);
  return [...Map.groupBy(calls, ({ marker }) => marker)].flatMap(([marker, made]) =>
    made.flatMap((call, at) => {
      const before = holds.get(marker)?.filter(({ hold }) => hold.at_ms <= call.atMs).length ?? 0;
      return before > at ? [] : [`call ${at + 1} of ${marker} reached the upstream with ${before} holds`];
    }),
  );
}

/**
 * Checks that a request is charged once, however many times it was sent with its idempotency key, and that all responses to it are the
 * same.
 */
function aboutMarkers({ attempts }: Logs, charges: readonly Charge[]): string[] {
  const wrong: string[] = [];
  for (const [marker, made] of Map.groupBy(charges, ({ attempt }) => attempt?.marker)) {
    const settled = made.filter(({ closing }) => closing?.kind === "settle").length;
    if (settled > 1) wrong.push(`${marker} was charged ${settled} times`);
  }
  const complete = attempts.filter(({ end }) => end === "complete");
  for (const [marker, made] of Map.groupBy(complete, (each) => each.marker)) {
    if (new Set(made.map(({ bytes }) => bytes)).size > 1) wrong.push(`${marker} was answered in different words`);
    if (made.filter(({ replays }) => replays === null).length > 1) wrong.push(`${marker} was answered again without a replay`);
  }
  for (const [marker, made] of Map.groupBy(
    attempts.filter(({ isIdempotent }) => isIdempotent),
    (each) => each.marker,
  )) {
    if (made.every(({ end, status }) => end !== "complete" && status !== 402 && status !== 400))
      wrong.push(`${marker} was asked ${made.length} times and never answered`);
  }
  return wrong;
}

/**
 * Checks that a response that was complete for the client was complete at the upstream, and was charged at the cost that the client
 * received.
 */
function aboutReplies({ attempts, calls }: Logs, charges: readonly Charge[], mayRefuse: (attempt: Attempt) => boolean): string[] {
  const byRequest = new Map(charges.map((charge) => [charge.hold.request_id, charge]));
  const byMarker = Map.groupBy(calls, ({ marker }) => marker);
  return attempts.flatMap((attempt) => {
    if (attempt.end === "hung") return [`${attempt.marker} was never answered, and its connection stayed open`];
    if (attempt.end === "refused")
      return mayRefuse(attempt) ? [] : [`${attempt.marker} was refused with ${attempt.status} ${attempt.code}`];
    if (attempt.end !== "complete") return [];
    const told = `${attempt.marker}, complete at its caller,`;
    const closing = byRequest.get(attempt.replays ?? attempt.requestId)?.closing;
    const call = byMarker.get(attempt.marker)?.find(({ wholeText }) => wholeText === attempt.text);
    if (!call) return [`${told} is not what the upstream sent whole`];
    if (closing?.kind !== "settle" || closing.reason !== "complete") return [`${told} has no settlement as such`];
    const charged = [closing.prompt_tokens, closing.cached_tokens, closing.completion_tokens, closing.amount_nanos].join();
    const due = [call.promptTokens, call.cachedTokens, call.generated, costOf(call)].join();
    if (charged !== due || closing.provenance !== "measured") return [`${told} was charged ${charged} where ${due} were due`];
    return aboutReceipt(attempt, closing).map((words) => `${told} ${words}`);
  });
}

function aboutReceipt(attempt: Attempt, closing: LedgerRow): string[] {
  const wrong: string[] = [];
  const due = attempt.replays === null ? BigInt(closing.amount_nanos) : 0n;
  if (attempt.cost !== null && parseDollars(attempt.cost) !== due) wrong.push(`was told a cost of ${attempt.cost}`);
  if (attempt.promptTokens !== null && attempt.promptTokens !== closing.prompt_tokens) wrong.push("was told other prompt tokens");
  if (attempt.completionTokens !== null && attempt.completionTokens !== closing.completion_tokens) wrong.push("was told other tokens");
  return wrong;
}

/** Checks that a request is charged at most its hold, and at most what the upstream generated, however it ended. */
function aboutSettlements({ calls }: Logs, charges: readonly Charge[]): string[] {
  const byMarker = Map.groupBy(calls, ({ marker }) => marker);
  return charges.flatMap((charge) => aboutSettlement(charge, byMarker.get(charge.attempt?.marker ?? "") ?? []));
}

function aboutSettlement({ hold, closing, attempt }: Charge, made: readonly UpstreamCall[]): string[] {
  if (closing?.kind !== "settle" || !attempt) return [];
  const id = `${closing.request_id} of ${attempt.marker}`;
  if (closing.amount_nanos > hold.amount_nanos) return [`${id} was charged more than was held`];
  if (closing.uncharged_nanos !== 0) return [`${id} was not charged in full`];
  const isCovered = (call: UpstreamCall): boolean =>
    closing.completion_tokens! <= call.generated && closing.prompt_tokens! <= call.promptTokens && closing.amount_nanos <= costOf(call);
  if (!made.some(isCovered)) return [`${id} was charged ${closing.amount_nanos} for ${closing.completion_tokens} tokens, above the truth`];
  if (closing.actor === "recovery" && attempt.end === "complete") return [`${id} was recovered, and its caller has all of it`];
  return [];
}

/** By the test's price: 1000 nano-dollars per prompt token, a tenth of that if the token was cached, and 2000 per generated token. */
function costOf({ promptTokens, cachedTokens, generated }: UpstreamCall): number {
  return (promptTokens - cachedTokens) * 1000 + cachedTokens * 100 + generated * 2000;
}
