import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import { priceInForce } from "../../money/price.ts";
import type { Admission } from "../admission/admission.ts";
import type { Gateway } from "../gateway.ts";
import { RouteChoice, findCandidates, type ExcludedRoute, type RouteCandidates, selectionOf, sessionOf } from "./route-choice.ts";

/** The part of an admission that determines its routes. */
export type RoutedAdmission = Pick<Admission, "model" | "findUpstream" | "accountId">;

/** The routes of the model: those that can serve the request, and those that cannot. */
export function candidatesFor(
  chat: ChatRequest,
  { model, findUpstream, accountId: account }: RoutedAdmission,
  gateway: Gateway,
): RouteCandidates {
  return findCandidates(model, chat, { account, findUpstream, states: gateway.upstreamStates, nowMs: gateway.nowMs(), limiting: gateway });
}

/** The choice among the routes that can serve a request. Throws where there is none. */
export function chooseRoute(
  chat: ChatRequest,
  admission: RoutedAdmission,
  gateway: Gateway,
  { candidates, excluded }: RouteCandidates = candidatesFor(chat, admission, gateway),
  isDryRun = false,
): RouteChoice {
  if (candidates.length === 0) throw noUpstreamAvailable(excluded);
  const { model, accountId } = admission;
  const selection = model.selection && selectionOf(model, gateway.nowMs(), isDryRun);
  const isSticky = (candidates.length > 1 || candidates[0]!.state.credentials.length > 1) && hasSessionAffinity(model, gateway.nowMs());
  return new RouteChoice(candidates, isSticky ? sessionOf(chat, accountId) : undefined, selection);
}

/** By default, session affinity is on where cached input is cheaper, unless the model has a selection of its own. */
function hasSessionAffinity({ isSticky, selection = "weighted", prices }: Model, nowMs: number): boolean {
  const rates = priceInForce(prices, nowMs)?.rates;
  return isSticky ?? (selection === "weighted" && rates !== undefined && rates.cachedInputPicos < rates.inputPicos);
}

function noUpstreamAvailable(excluded: readonly ExcludedRoute[]): ApiError {
  const unsupported = excluded.find(({ error }) => error)?.error;
  if (unsupported) return unsupported;
  const detail = excluded.map(({ route, reason }) => `${route.upstream}: ${reason}`).join(", ");
  return new ApiError("no_upstream_available", "No upstream can serve this model at the moment.", { retryAfterSeconds: 5, detail });
}
