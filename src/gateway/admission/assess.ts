import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { isAllowed, mayCall, type Catalog, type Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import { authorityAway, NOT_CURRENT } from "../../requests/authority-away.ts";
import type { Attribution } from "../../money/attribution.ts";
import { parseDollars, type Nanos } from "../../money/money.ts";
import { priceInForce } from "../../money/price.ts";
import type { Headroom } from "../../money/headroom.ts";
import type { CacheUse } from "./admission.ts";
import { lookUpCache } from "../cache/serve-cached.ts";
import type { FindUpstream, Gateway } from "../gateway.ts";
import { cappedPurses, type CappedPurse } from "./capped-purses.ts";
import { headroomsFor } from "./headroom.ts";
import { boundCallCost, boundCachedCost, type CostBound } from "./cost-bound.ts";
import { findFallbacks, highestHold, NO_FALLBACK_CANDIDATES, type RequestFallbacks } from "./fallback-candidates.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Who calls, and with what. */
export interface ReceivedRequest {
  readonly caller: KeyRecord;
  readonly chat: ChatRequest;
  readonly headers: HeaderFields;
  readonly attribution: Attribution | undefined;
}

/** The decision about a request, before credit or limits are taken for it. */
export interface Assessment extends CostBound {
  readonly nowMs: number;
  readonly account: Account;
  readonly model: Model;
  readonly findUpstream: FindUpstream;
  readonly maxCostNanos: Nanos | undefined;
  readonly cache: CacheUse | undefined;
  /** The models that may serve it instead. */
  readonly fallbacks: RequestFallbacks;
  /** The credit to hold: the highest cost bound of the model and its fallbacks. */
  readonly heldNanos: Nanos;
  /** The end user and the tags that have spend caps. */
  readonly capped: readonly CappedPurse[];
}

/**
 * Decides whether a request may proceed, and at what price: its key may call the model, and the headroom covers its cost bound. Throws the
 * error that the client receives where it may not; `report` then has received the results until that point. Nothing is taken, written
 * or noted: `admit` does that in the same turn of the event loop, while the results still hold.
 */
export function assess(
  { caller, chat, headers, attribution }: ReceivedRequest,
  gateway: Gateway,
  report?: (results: Partial<Assessment>) => void,
  findHeadrooms: typeof headroomsFor = headroomsFor,
): Assessment {
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  const catalog = gateway.catalog.snapshot(account.priceList);
  const model = findModel(caller, account, chat.model, catalog, gateway);
  report?.({ model });
  if (!mayCall(caller, account, model, nowMs)) throw notCallable(model);

  const findUpstream = gateway.upstreams();
  const price = priceInForce(model.prices, nowMs)!;
  report?.({ findUpstream, price });
  const requestedMaxCost = readMaxCost(headers);
  const capped = cappedPurses(caller, account, attribution);
  const headrooms = findHeadrooms(caller, account, gateway.ledger, nowMs, capped);
  if (requestedMaxCost !== undefined) headrooms.push(maxCostHeadroom(requestedMaxCost));
  const lookup = model.cache && lookUpCache(chat, model, account.id, headers, findUpstream, gateway);
  const cachedCost = lookup?.hit && boundCachedCost(lookup.hit, model.cache!, price, headrooms);
  const bound = cachedCost ?? boundCallCost(chat, model, findUpstream, price, headrooms);
  const hasFallbacks = model.fallbacks.length > 0 && !cachedCost;
  const fallbacks = hasFallbacks ? findFallbacks(chat, model, catalog, findUpstream, headrooms, nowMs) : NO_FALLBACK_CANDIDATES;
  const storeAs = cachedCost || bound.hold.isShortened ? undefined : lookup?.key;
  const cache = lookup && { hit: cachedCost && lookup.hit, storeAs };
  // The cost of a cached response is exact: there is nothing to stop while it is sent.
  const maxCostNanos = cachedCost ? undefined : requestedMaxCost;
  const { price: responsePrice, promptEstimate, promptDerivation, maxInputTokens, plausibleInputTokens, hold, tokens } = bound;
  return {
    price: responsePrice,
    promptEstimate,
    promptDerivation,
    maxInputTokens,
    plausibleInputTokens,
    hold,
    tokens,
    nowMs,
    account,
    model,
    findUpstream,
    maxCostNanos,
    cache,
    fallbacks,
    heldNanos: hasFallbacks ? highestHold(hold.amountNanos, fallbacks.candidates) : hold.amountNanos,
    capped,
  };
}

/** The model, if this key may call it. An unknown model and one that is not allowed get the same error, so that it reveals nothing. */
function findModel(caller: KeyRecord, account: Account, id: string, catalog: Catalog, gateway: Gateway): Model {
  const model = catalog.get(id);
  if (model && isAllowed(caller, account, model.id)) return model;
  if (gateway.isCurrent?.() === false) throw authorityAway(NOT_CURRENT);
  const name = JSON.stringify(id.slice(0, 200));
  throw new ApiError("model_not_allowed", `This key may not call a model ${name}. GET /v1/models lists the models it may call.`, {
    param: "model",
  });
}

/** The error for a model that the key is allowed to call but that is retired or has no price. */
function notCallable({ id, state, prices }: Model): ApiError {
  if (state.name === "retired") {
    return new ApiError("model_retired", `The model ${id} was retired. Use ${state.replacement} instead.`, { param: "model" });
  }
  const since = prices[0] && ` before ${new Date(prices[0].effectiveAtMs).toISOString().slice(0, 10)}`;
  const message = `The model ${id} has no price${since ?? ""}, so it cannot be called. The operator can set one, or declare it free.`;
  return new ApiError("model_not_allowed", message, { param: "model" });
}

function readMaxCost(headers: HeaderFields): Nanos | undefined {
  const text = headers.get("x-max-cost");
  if (text === null) return undefined;
  const nanos = parseDollars(text.trim());
  if (nanos !== undefined && nanos > 0n) return nanos;
  throw new ApiError("invalid_value", "The header x-max-cost must be an amount of dollars such as 0.05.", { param: "x-max-cost" });
}

function maxCostHeadroom(nanos: Nanos): Headroom {
  return { name: "this request", kind: "max_cost", leftNanos: nanos, leftIfIdleNanos: nanos, resetsAtMs: undefined };
}
