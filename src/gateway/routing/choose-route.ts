import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { priceInForce } from "../../money/price.ts";
import type { Admission } from "../admission/admission.ts";
import type { Gateway } from "../gateway.ts";
import { conversationOf } from "./session-affinity.ts";
import { RouteChoice } from "./route-choice.ts";
import { sortOut, type SortedRoutes, type Unfit } from "./route-candidates.ts";

/** What the choice is made for. */
export type Served = Pick<Admission, "model" | "findUpstream" | "accountId">;

/** The routes of the model that a request is for: those that could serve it, and those that could not. */
export function sortRoutes(chat: ChatRequest, { model, findUpstream }: Served, { upstreamStates: states, nowMs }: Gateway): SortedRoutes {
  return sortOut(model, chat, { findUpstream, states, nowMs: nowMs() });
}

/** The routes that could serve a request, to be tried one after the other. Throws where there is none. */
export function chooseRoute(
  chat: ChatRequest,
  served: Served,
  gateway: Gateway,
  { fit, unfit }: SortedRoutes = sortRoutes(chat, served, gateway),
): RouteChoice {
  if (fit.length === 0) throw nothingServes(unfit);
  const { model, accountId } = served;
  const isSticky = (fit.length > 1 || fit[0]!.state.credentials.length > 1) && staysTogether(model, gateway.nowMs());
  return new RouteChoice(fit, isSticky ? conversationOf(chat, accountId) : undefined);
}

/** Where the operator has not said, a conversation stays together if cached input is cheaper. */
function staysTogether({ isSticky, prices }: Model, nowMs: number): boolean {
  const rates = priceInForce(prices, nowMs)?.rates;
  return isSticky ?? (rates !== undefined && rates.cachedInputPicos < rates.inputPicos);
}

/** What to say where no route can serve a request. */
function nothingServes(unfit: readonly Unfit[]): GatewayError {
  const refused = unfit.find(({ error }) => error)?.error;
  if (refused) return refused;
  const detail = unfit.map(({ route, reason }) => `${route.upstream}: ${reason}`).join(", ");
  return new GatewayError("no_upstream_available", "Nothing serves this model at the moment.", { retryAfterSeconds: 5, detail });
}
