import type { Upstream } from "../../upstreams/upstream.ts";
import type { Model, Route } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { ApiError } from "../../requests/api-error.ts";
import {
  type ParameterMapping,
  type ParameterPolicy,
  type ParameterRules,
  type UnknownHandling,
} from "../../models/parameters/parameter-policy.ts";
import { mapParameters, refusedIn } from "../../requests/map-parameters.ts";
import { withDefaults, withoutGatewayTags } from "../../requests/routes/with-defaults.ts";
import { exclusionOf, type Exclusion } from "../../models/route-exclusion.ts";
import type { Credential } from "./health/credential-cooldown.ts";
import type { FindUpstream, Gateway } from "../gateway.ts";
import { RouteLimits } from "./route-limits.ts";
import type { RouteHealth } from "./health/route-health.ts";
import type { UpstreamState, UpstreamStates } from "./health/upstream-state.ts";

/** A route that can serve a request, with the state of its upstream. */
export interface Candidate {
  /** Whose request it is: the health of a route may differ between accounts. */
  readonly account: string;
  /** The request, with the default parameters of the route. */
  readonly chat: ChatRequest;
  readonly route: Route;
  readonly upstream: Upstream;
  readonly state: UpstreamState;
  readonly health: RouteHealth;
  readonly parameterMapping: ParameterMapping;
  /** Undefined where the route has no rate limits. */
  readonly limits?: RouteLimits | undefined;
}

/**
 * The status of a route: `ready`; `probing` (half-open: the next call probes it); `full`, with all concurrency slots taken; `rate_limited`, with nothing left
 * of its own rate limits; `cooling`, because
 * each of its credentials has a cooldown for its model; or `ejected`, ejected by its circuit breaker.
 */
export type RouteStatus = "ready" | "probing" | "full" | "rate_limited" | "cooling" | "ejected";

/** The status with the credentials that this request has not tried. */
export function statusOf(
  { route, health, state, limits, account }: Candidate,
  untried: readonly Credential[] = state.credentials,
): RouteStatus {
  const circuit = health.stateFor(account);
  if (circuit === "ejected") return "ejected";
  if (!untried.some((each) => each.cooldownMs(route.upstreamModel, account) === 0)) return "cooling";
  if (limits?.isUsedUp) return "rate_limited";
  if (state.slots.isFull) return "full";
  return circuit === "probing" ? "probing" : "ready";
}

/** A route that cannot serve a request, whatever the state of its upstream. */
export interface ExcludedRoute {
  readonly route: Route;
  readonly reason: "no_upstream" | Exclusion | "unsupported_parameters";
  readonly error?: ApiError;
  /** The parameters that it does not support. */
  readonly refused?: readonly string[];
}

/** The routes of a model: those that can serve a request, and those that cannot. */
export interface RouteCandidates {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly ExcludedRoute[];
}

interface CandidateContext {
  readonly account: string;
  readonly findUpstream: FindUpstream;
  readonly states: UpstreamStates;
  readonly nowMs: number;
  /** What counts the rate limits of routes. */
  readonly limiting: Pick<Gateway, "limits" | "monotonicMs">;
}

export function findCandidates(
  model: Model,
  received: ChatRequest,
  { account, findUpstream, states, nowMs, limiting }: CandidateContext,
): RouteCandidates {
  const chat = withoutGatewayTags(received);
  const candidates: Candidate[] = [];
  const excluded: ExcludedRoute[] = [];
  for (const route of model.routes) {
    const upstream = findUpstream(route.upstream);
    const exclusion = exclusionOf(route, nowMs);
    if (!upstream) {
      excluded.push({ route, reason: "no_upstream" });
    } else if (exclusion) {
      excluded.push({ route, reason: exclusion });
    } else {
      const ownChat = route.defaults ? withDefaults(chat, route.defaults) : chat;
      const { outline } = ownChat;
      const rules = parameterRules(upstream.settings, route.upstreamModel);
      const unknown = model.unknownParameters ?? upstream.settings.unknownParameters;
      const parameterMapping = mapOrError(outline, rules, model.parameters, unknown);
      if (parameterMapping instanceof ApiError) {
        excluded.push({
          route,
          reason: "unsupported_parameters",
          error: parameterMapping,
          refused: refusedIn(outline, rules, model.parameters, unknown),
        });
      } else {
        const state = states.of(upstream);
        const limits = route.limits && new RouteLimits(model.id, route, limiting);
        candidates.push({
          account,
          chat: ownChat,
          route,
          upstream,
          state,
          health: state.healthOf(route.upstreamModel),
          parameterMapping,
          limits,
        });
      }
    }
  }
  return { candidates, excluded };
}

function mapOrError(
  outline: ChatRequest["outline"],
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown: UnknownHandling | undefined,
): ParameterMapping | ApiError {
  try {
    return mapParameters(outline, rules, policy, unknown);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
