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
import { exclusionOf, type Exclusion } from "../../models/route-exclusion.ts";
import type { Credential } from "./health/credential-cooldown.ts";
import type { FindUpstream } from "../gateway.ts";
import type { RouteHealth } from "./health/route-health.ts";
import type { UpstreamState, UpstreamStates } from "./health/upstream-state.ts";

/** A route that can serve a request, with the state of its upstream. */
export interface Candidate {
  readonly route: Route;
  readonly upstream: Upstream;
  readonly state: UpstreamState;
  readonly health: RouteHealth;
  readonly parameterMapping: ParameterMapping;
}

/**
 * The status of a route: `ready`; `probing` (half-open: the next call probes it); `full`, with all concurrency slots taken; `cooling`, because
 * each of its credentials has a cooldown for its model; or `ejected`, ejected by its circuit breaker.
 */
export type RouteStatus = "ready" | "probing" | "full" | "cooling" | "ejected";

/** The status with the credentials that this request has not tried. */
export function statusOf({ route, health, state }: Candidate, untried: readonly Credential[] = state.credentials): RouteStatus {
  const { state: circuit } = health;
  if (circuit === "ejected") return "ejected";
  if (!untried.some((each) => each.cooldownMs(route.upstreamModel) === 0)) return "cooling";
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

export function findCandidates(
  model: Model,
  { outline }: ChatRequest,
  { findUpstream, states, nowMs }: { findUpstream: FindUpstream; states: UpstreamStates; nowMs: number },
): RouteCandidates {
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
        candidates.push({ route, upstream, state, health: state.healthOf(route.upstreamModel), parameterMapping });
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
