import type { Upstream } from "../../upstreams/upstream.ts";
import type { Model, Route } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import {
  mapParameters,
  refusedIn,
  type ParameterMapping,
  type ParameterPolicy,
  type ParameterRules,
  type UnknownHandling,
} from "../../models/parameters/parameters.ts";
import { exclusionOf, type Exclusion } from "../../models/route-exclusion.ts";
import type { Credential } from "./health/credential-cooldown.ts";
import type { FindUpstream } from "../gateway.ts";
import type { RouteHealth } from "./health/route-health.ts";
import type { UpstreamState, UpstreamStates } from "./health/upstream-state.ts";

/** A route that could serve a request, and what is known of it. */
export interface Candidate {
  readonly route: Route;
  readonly upstream: Upstream;
  readonly state: UpstreamState;
  readonly health: RouteHealth;
  readonly carriage: ParameterMapping;
}

/**
 * How a route stands at this moment: `ready`; `due` for a call that shows whether it is back; `full`, with calls that wait; `cooling`,
 * because each of its credentials has a cooldown for its model; or `out`, because it failed too often.
 */
export type Standing = "ready" | "due" | "full" | "cooling" | "out";

/** How it stands, with those of its credentials that this request has not tried. */
export function standingOf({ route, health, state }: Candidate, untried: readonly Credential[] = state.credentials): Standing {
  const { state: inUse } = health;
  if (inUse === "out") return "out";
  if (!untried.some((each) => each.coolForMs(route.upstreamModel) === 0)) return "cooling";
  if (state.slots.isFull) return "full";
  return inUse === "due" ? "due" : "ready";
}

/** A route that cannot serve a request, whatever its upstream does, and why. */
export interface Unfit {
  readonly route: Route;
  readonly reason: "no_upstream" | Exclusion | "cannot_carry";
  readonly error?: GatewayError;
  /** The parameters that it cannot map. */
  readonly refused?: readonly string[];
}

/** The routes of a model: those that could serve a request, and those that could not. */
export interface SortedRoutes {
  readonly fit: readonly Candidate[];
  readonly unfit: readonly Unfit[];
}

export function sortOut(
  model: Model,
  { outline }: ChatRequest,
  { findUpstream, states, nowMs }: { findUpstream: FindUpstream; states: UpstreamStates; nowMs: number },
): SortedRoutes {
  const fit: Candidate[] = [];
  const unfit: Unfit[] = [];
  for (const route of model.routes) {
    const upstream = findUpstream(route.upstream);
    const exclusion = exclusionOf(route, nowMs);
    if (!upstream) {
      unfit.push({ route, reason: "no_upstream" });
    } else if (exclusion) {
      unfit.push({ route, reason: exclusion });
    } else {
      const rules = parameterRules(upstream.settings, route.upstreamModel);
      const unknown = model.unknownParameters ?? upstream.settings.unknownParameters;
      const carriage = carriageOf(outline, rules, model.parameters, unknown);
      if (carriage instanceof GatewayError) {
        unfit.push({ route, reason: "cannot_carry", error: carriage, refused: refusedIn(outline, rules, model.parameters, unknown) });
      } else {
        const state = states.of(upstream);
        fit.push({ route, upstream, state, health: state.healthOf(route.upstreamModel), carriage });
      }
    }
  }
  return { fit, unfit };
}

function carriageOf(
  outline: ChatRequest["outline"],
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown: UnknownHandling | undefined,
): ParameterMapping | GatewayError {
  try {
    return mapParameters(outline, rules, policy, unknown);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
