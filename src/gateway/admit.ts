import type { Exchange } from "../http/endpoint.ts";
import type { Account } from "../vocabulary/account.ts";
import type { KeyRecord } from "../vocabulary/api-key.ts";
import { isAllowed, mayCall, type Model } from "../vocabulary/catalog.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { formatDollars, parseDollars, type Nanos } from "../vocabulary/money.ts";
import { priceInForce } from "../vocabulary/price.ts";
import { estimateTokens } from "../vocabulary/usage.ts";
import { Admission } from "./admission.ts";
import { fitHold } from "./fit-hold.ts";
import type { Gateway } from "./gateway.ts";
import { roomsFor, type Room } from "./hold-room.ts";
import { sizeOf } from "./hold-size.ts";
import { limitScopes, takeLimits } from "./limits.ts";

/**
 * Lets a request in: its key may call the model, there is credit for the dearest it can become, and its limits have room. What
 * it may cost is set aside, durably, before this resolves. From the look at the credit to the hold nothing else can run.
 */
export async function admit(caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Promise<Admission> {
  const { ledger } = gateway;
  const { requestId } = exchange;
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  exchange.facts["model"] = chat.model.slice(0, 200);
  const model = findModel(caller, account, chat.model, gateway, nowMs);
  const findUpstream = gateway.upstreams();
  const price = priceInForce(model.prices, nowMs)!;
  const maxCostNanos = readMaxCost(exchange.request.headers);

  const promptBytes = Buffer.byteLength(chat.text);
  const size = sizeOf(chat, promptBytes, model);
  // A picture's bytes say little about its tokens: an estimate must not be more than was reckoned with.
  const promptEstimate = Math.min(estimateTokens(promptBytes), size.inputTokens);
  const rooms = roomsFor(caller, account, ledger, nowMs);
  if (maxCostNanos !== undefined) rooms.push(maxCostRoom(maxCostNanos));
  const { amountNanos, outputTokens, maxTokens } = fitHold(size, model, price, rooms);

  const tokens = { prompt: promptEstimate, outputOfEach: outputTokens, choices: size.choices };
  const limits = takeLimits(limitScopes(caller, account), tokens, gateway, nowMs);
  try {
    await ledger.hold({
      accountId: account.id,
      atMs: nowMs,
      actor: caller.id,
      reason: maxCostNanos === undefined ? "a request" : `a request with x-max-cost ${formatDollars(maxCostNanos)}`,
      requestId,
      keyId: caller.id,
      model: model.id,
      priceVersion: price.version,
      amountNanos,
    });
  } catch (error) {
    limits.undo();
    throw error;
  }
  gateway.uses.noteModel(caller.id, model.id, nowMs);
  const cost = { price, promptEstimate, maxTokens, reckonedTokens: outputTokens, maxCostNanos };
  return new Admission({ requestId, accountId: account.id, model, findUpstream, ...cost, ledger, limits, nowMs: gateway.nowMs });
}

/** The model this key is let through to. A model that is not there and one that is not allowed are refused alike. */
function findModel(caller: KeyRecord, account: Account, id: string, gateway: Gateway, nowMs: number): Model {
  const model = gateway.catalog.snapshot().get(id);
  if (model && mayCall(caller, account, model, nowMs)) return model;
  if (model && isAllowed(caller, account, model.id)) throw whyNot(model);
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

function readMaxCost(headers: Headers): Nanos | undefined {
  const text = headers.get("x-max-cost");
  if (text === null) return undefined;
  const nanos = parseDollars(text.trim());
  if (nanos !== undefined && nanos > 0n) return nanos;
  throw new GatewayError("invalid_value", "The header x-max-cost must be an amount of dollars such as 0.05.", { param: "x-max-cost" });
}

function maxCostRoom(nanos: Nanos): Room {
  return { name: "this request", kind: "max_cost", leftNanos: nanos, leftIfIdleNanos: nanos, resetsAtMs: undefined };
}
