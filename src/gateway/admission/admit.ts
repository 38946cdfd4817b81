import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { reauthenticate } from "../authentication/authenticate.ts";
import type { Gateway } from "../gateway.ts";
import { Admission } from "./admission.ts";
import { assess } from "./assess.ts";
import { assessWithinLease, LeaseShortage } from "./lease-shortage.ts";
import { limitScopes, takeLimits } from "./rate-limits.ts";

/**
 * Admits a request, or throws the error that the client receives: 402, 403 or 429. The most that it can cost is held, durably, before this
 * resolves. Nothing else runs between the check of the credit and the hold, so concurrent requests cannot overspend.
 */
export async function admit(
  sender: KeyRecord,
  chat: ChatRequest,
  exchange: Exchange,
  gateway: Gateway,
  isLeaseWidened = false,
): Promise<Admission> {
  const { requestId, request, notes } = exchange;
  const { ledger } = gateway;
  const caller = reauthenticate(sender, exchange, gateway);
  const received = { caller, chat, headers: request.headers };
  const assessment = ledger.widen && !isLeaseWidened ? assessWithinLease(received, gateway) : assess(received, gateway);
  if (assessment instanceof LeaseShortage) {
    await ledger.widen!(assessment.purses, assessment.nanos);
    return admit(sender, chat, exchange, gateway, true);
  }
  const { nowMs, account, model, findUpstream, price, promptEstimate, promptDerivation, hold, tokens, maxCostNanos, cache } = assessment;
  notes.model = model.id;
  if (cache) notes.cache = cache.hit ? "hit" : "miss";

  const limits = takeLimits(limitScopes(caller, account), tokens, gateway);
  try {
    await ledger.hold({
      accountId: account.id,
      atMs: nowMs,
      actor: caller.id,
      reason: holdReason(promptDerivation, maxCostNanos),
      requestId,
      keyId: caller.id,
      model: model.id,
      priceVersion: price.version,
      amountNanos: hold.amountNanos,
    });
  } catch (error) {
    limits.undo();
    throw error;
  }
  gateway.lastUsed.noteModel(caller.id, model.id, nowMs);
  return new Admission({
    requestId,
    accountId: account.id,
    model,
    findUpstream,
    price,
    promptEstimate,
    promptDerivation,
    maxTokens: hold.maxTokens,
    maxOutputTokens: hold.maxOutputTokens,
    maxCostNanos,
    cache,
    ledger,
    limits,
    nowMs: gateway.nowMs,
  });
}

/** Receipts show it. The auditor parses the limit at its end. */
function holdReason(promptDerivation: string | undefined, maxCostNanos: Nanos | undefined): string {
  const request = promptDerivation === undefined ? "a request" : `a request of ${promptDerivation}`;
  return maxCostNanos === undefined ? request : `${request} with x-max-cost ${formatDollars(maxCostNanos)}`;
}
