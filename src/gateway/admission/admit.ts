import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Attribution } from "../../money/attribution.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { formatDollars } from "../../money/money.ts";
import type { NewHold } from "../../stores/ledger/ledger-store.ts";
import type { LimitTicket } from "../../stores/limits/limit-store.ts";
import { reauthenticate } from "../authentication/authenticate.ts";
import type { Gateway } from "../gateway.ts";
import { Admission } from "./admission.ts";
import { countSpending, type CappedPurse } from "./capped-purses.ts";
import { assess, type Assessment } from "./assess.ts";
import { assessWithinLease, LeaseShortage } from "./lease-shortage.ts";
import { allLimitScopes, takeLimits } from "./rate-limits.ts";
import { remainingFor } from "./remaining.ts";

/** How often a request waits for a wider lease, for another process that counts the rate limits, or for the spending of an end user to be added up. */
const MAX_WAITS = 3;

/**
 * Admits a request, or throws the error that the client receives: 402, 403 or 429. The most that it can cost is held, durably, before this
 * resolves. Nothing else runs between the check of the credit and the hold, so concurrent requests cannot overspend. After each wait for
 * another process the checks are made again: the key may have been revoked, and the credit held by another request.
 */
export async function admit(sender: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Promise<Admission> {
  let limits: LimitTicket | undefined;
  if (gateway.catchUp && !gateway.catalog.snapshot().has(chat.model)) await gateway.catchUp();
  try {
    for (let waits = 0; ; waits++) {
      const caller = reauthenticate(sender, exchange, gateway);
      const counting = countSpending(caller, gateway.accountOf(caller), exchange.notes.attribution, gateway.ledger);
      if (counting) {
        await counting;
        continue;
      }
      const assessment = assessAndNote(caller, chat, exchange, gateway, waits < MAX_WAITS);
      if (assessment instanceof LeaseShortage) {
        await gateway.ledger.widen!(assessment.purses, assessment.nanos);
        continue;
      }
      if (!limits) {
        const taking = takeLimits(allLimitScopes(caller, assessment.account, exchange.notes.attribution), assessment.tokens, gateway);
        // The tokens stay as estimated before the wait: `end` corrects them.
        limits = taking instanceof Promise ? await taking : taking;
        if (taking instanceof Promise) continue;
      }
      await holdAndNote(assessment, caller, exchange, gateway);
      gateway.lastUsed.noteModel(caller.id, assessment.model.id, assessment.nowMs);
      return toAdmission(assessment, limits, exchange, gateway);
    }
  } catch (error) {
    limits?.undo();
    throw error;
  }
}

/** `mayWiden`: whether a lease that does not cover the request may still be widened. */
function assessAndNote(
  caller: KeyRecord,
  chat: ChatRequest,
  { request, notes }: Exchange,
  gateway: Gateway,
  mayWiden: boolean,
): Assessment | LeaseShortage {
  const received = { caller, chat, headers: request.headers, attribution: notes.attribution };
  const assessment = gateway.ledger.widen && mayWiden ? assessWithinLease(received, gateway) : assess(received, gateway);
  if (assessment instanceof LeaseShortage) return assessment;
  notes.model = assessment.model.id;
  if (assessment.cache) notes.cache = assessment.cache.hit ? "hit" : "miss";
  return assessment;
}

/** Notes what remains in the same turn as the hold, which counts at once. */
function holdAndNote(assessment: Assessment, caller: KeyRecord, exchange: Exchange, { ledger }: Gateway): Promise<void> {
  const held = ledger.hold(holdOf(assessment, caller, exchange));
  exchange.notes.remaining = remainingFor(caller, assessment.account, ledger, assessment.nowMs, assessment.capped);
  return held;
}

function holdOf(assessment: Assessment, caller: KeyRecord, { requestId, notes }: Exchange): NewHold {
  return {
    accountId: assessment.account.id,
    atMs: assessment.nowMs,
    actor: caller.id,
    reason: holdReason(assessment),
    requestId,
    keyId: caller.id,
    model: assessment.model.id,
    priceVersion: assessment.price.version,
    attribution: assessment.capped.length === 0 ? notes.attribution : withCounts(notes.attribution, assessment.capped),
    amountNanos: assessment.heldNanos,
  };
}

/** Which spend caps the hold counts against is recorded with it: every process agrees, whatever the caps become. */
function withCounts(attribution: Attribution | undefined, capped: readonly CappedPurse[]): Attribution {
  return { ...attribution, counts: capped.map(({ counted }) => counted) };
}

function toAdmission(assessment: Assessment, limits: LimitTicket, { requestId }: Exchange, gateway: Gateway): Admission {
  const { account, model, findUpstream, price, promptEstimate, promptDerivation, hold, maxCostNanos, cache, fallbacks } = assessment;
  const { maxInputTokens, plausibleInputTokens, tokens } = assessment;
  const { ledger, deviations, onDisconnect, nowMs } = gateway;
  return new Admission({
    requestId,
    accountId: account.id,
    model,
    findUpstream,
    price,
    promptEstimate,
    promptDerivation,
    maxInputTokens,
    plausibleInputTokens,
    choices: tokens.choices,
    maxTokens: hold.maxTokens,
    maxOutputTokens: hold.maxOutputTokens,
    maxCostNanos,
    fallbacks: fallbacks.candidates,
    cache,
    ledger,
    limits,
    deviations,
    onDisconnect,
    nowMs,
  });
}

/** Receipts show it. The auditor parses the fallbacks, and the limit at its end. */
function holdReason({ promptDerivation, fallbacks: { candidates }, maxCostNanos }: Assessment): string {
  let request = promptDerivation === undefined ? "a request" : `a request of ${promptDerivation}`;
  if (candidates.length > 0) request += ` that may fall back to ${candidates.map(({ model }) => model.id).join(", ")}`;
  return maxCostNanos === undefined ? request : `${request} with x-max-cost ${formatDollars(maxCostNanos)}`;
}
