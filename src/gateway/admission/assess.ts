import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { isAllowed, mayCall, type Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { parseDollars, type Nanos } from "../../money/money.ts";
import { priceInForce } from "../../money/price.ts";
import type { Headroom } from "../../money/headroom.ts";
import type { CacheUse } from "./admission.ts";
import { lookUpCache } from "../cache/look-up-cache.ts";
import type { FindUpstream, Gateway } from "../gateway.ts";
import { headroomsFor } from "./headroom.ts";
import { boundCallCost, boundCachedCost, type CostBound } from "./cost-bound.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Who asks for what. */
export interface Asked {
  readonly caller: KeyRecord;
  readonly chat: ChatRequest;
  readonly headers: HeaderFields;
}

/** All that is decided about a request before anything is taken for it. */
export interface Assessment extends CostBound {
  readonly nowMs: number;
  readonly account: Account;
  readonly model: Model;
  readonly findUpstream: FindUpstream;
  readonly maxCostNanos: Nanos | undefined;
  readonly cache: CacheUse | undefined;
}

/**
 * Whether a request may go ahead, and at what price: its key may call the model, and there is credit for the dearest it can become.
 * Throws what the caller should hear where it may not; `tell` hears what was found out until then. Nothing is taken, written or
 * noted: whoever lets the request in does that in the same turn, and takes its limits, while all of this is still true.
 */
export function assess({ caller, chat, headers }: Asked, gateway: Gateway, tell?: (found: Partial<Assessment>) => void): Assessment {
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  const model = findModel(caller, account, chat.model, gateway);
  tell?.({ model });
  if (!mayCall(caller, account, model, nowMs)) throw whyNot(model);

  const findUpstream = gateway.upstreams();
  const price = priceInForce(model.prices, nowMs)!;
  tell?.({ findUpstream, price });
  const ownMaxCost = readMaxCost(headers);
  const rooms = headroomsFor(caller, account, gateway.ledger, nowMs);
  if (ownMaxCost !== undefined) rooms.push(maxCostRoom(ownMaxCost));
  const place = model.cache && lookUpCache(chat, model, account.id, headers, findUpstream, gateway);
  const again = place?.kept && boundCachedCost(place.kept, model.cache!, price, rooms);
  const reckoning = again ?? boundCallCost(chat, model, findUpstream, price, rooms);
  const cache = place && { kept: again && place.kept, keepAs: again || reckoning.hold.isShortened ? undefined : place.key };
  // A kept answer costs what it costs: there is nothing to watch while it is sent.
  const maxCostNanos = again ? undefined : ownMaxCost;
  const { price: priceOfAnswer, promptEstimate, promptDerivation, hold, tokens } = reckoning;
  return {
    price: priceOfAnswer,
    promptEstimate,
    promptDerivation,
    hold,
    tokens,
    nowMs,
    account,
    model,
    findUpstream,
    maxCostNanos,
    cache,
  };
}

/** The model, if this key is let through to it. One that is not there and one that is not allowed are refused alike. */
function findModel(caller: KeyRecord, account: Account, id: string, gateway: Gateway): Model {
  const model = gateway.catalog.snapshot().get(id);
  if (model && isAllowed(caller, account, model.id)) return model;
  const asked = JSON.stringify(id.slice(0, 200));
  throw new GatewayError("model_not_allowed", `This key may not call a model ${asked}. GET /v1/models lists those it may call.`, {
    param: "model",
  });
}

/** Why a model that the key is meant to call cannot be. */
function whyNot({ id, state, prices }: Model): GatewayError {
  if (state.name === "retired") {
    return new GatewayError("model_retired", `The model ${id} was retired. Use ${state.replacement} instead.`, { param: "model" });
  }
  const since = prices[0] && ` before ${new Date(prices[0].effectiveAtMs).toISOString().slice(0, 10)}`;
  const message = `The model ${id} has no price${since ?? ""}, so it cannot be called. The operator can give it one, or declare it free.`;
  return new GatewayError("model_not_allowed", message, { param: "model" });
}

function readMaxCost(headers: HeaderFields): Nanos | undefined {
  const text = headers.get("x-max-cost");
  if (text === null) return undefined;
  const nanos = parseDollars(text.trim());
  if (nanos !== undefined && nanos > 0n) return nanos;
  throw new GatewayError("invalid_value", "The header x-max-cost must be an amount of dollars such as 0.05.", { param: "x-max-cost" });
}

function maxCostRoom(nanos: Nanos): Headroom {
  return { name: "this request", kind: "max_cost", leftNanos: nanos, leftIfIdleNanos: nanos, resetsAtMs: undefined };
}
