import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { Admission } from "./admission.ts";
import { assess } from "./assess.ts";
import type { Gateway } from "../gateway.ts";
import { limitScopes, takeLimits } from "./rate-limits.ts";

/**
 * Lets a request in, if it may go ahead. What it may cost is set aside, durably, before this resolves. From the look at the credit to
 * the hold nothing else can run.
 */
export async function admit(caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Promise<Admission> {
  const { requestId, request, notes } = exchange;
  const { ledger } = gateway;
  const assessment = assess({ caller, chat, headers: request.headers }, gateway);
  const { nowMs, account, model, findUpstream, price, promptEstimate, promptDerivation, hold, tokens, maxCostNanos, cache } = assessment;
  notes.model = model.id;
  if (cache) notes.cache = cache.kept ? "hit" : "miss";

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
  gateway.uses.noteModel(caller.id, model.id, nowMs);
  return new Admission({
    requestId,
    accountId: account.id,
    model,
    findUpstream,
    price,
    promptEstimate,
    promptDerivation,
    maxTokens: hold.maxTokens,
    reckonedTokens: hold.outputTokens,
    maxCostNanos,
    cache,
    ledger,
    limits,
    nowMs: gateway.nowMs,
  });
}

/** Why, and how much: receipts show it. The auditor reads the limit at its end. */
function holdReason(promptDerivation: string | undefined, maxCostNanos: Nanos | undefined): string {
  const what = promptDerivation === undefined ? "a request" : `a request of ${promptDerivation}`;
  return maxCostNanos === undefined ? what : `${what} with x-max-cost ${formatDollars(maxCostNanos)}`;
}
