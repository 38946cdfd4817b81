import { DeviationCounts } from "../gateway/routing/health/deviation-counts.ts";
import { UpstreamStates } from "../gateway/routing/health/upstream-state.ts";
import type { DeviationCount } from "../models/deviation.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { CloudVariables } from "../models/identities/cloud-variables.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { Upstreams } from "../upstreams/registry.ts";

/** The upstreams of a process that has the platform, and their state. */
export interface GatewayUpstreams {
  readonly upstreams: Upstreams;
  readonly states: UpstreamStates;
  /** Counted in the calls of this process. */
  readonly deviations: DeviationCounts;
  /** The health according to the calls of this process. */
  readonly ownHealth: (settings: UpstreamSettings) => UpstreamHealth;
  /** The health according to the calls of all processes. */
  readonly health: (settings: UpstreamSettings) => UpstreamHealth;
  /** Counted in the calls of all processes. */
  readonly allDeviations: () => DeviationCount[];
}

/** The health of upstreams according to the calls of one process. */
export function healthIn({
  upstreams,
  states,
  deviations,
}: Pick<GatewayUpstreams, "upstreams" | "states" | "deviations">): GatewayUpstreams["ownHealth"] {
  return (settings) => ({
    ...states.of(upstreams.of(settings)).health,
    ...deviations.suspiciousUsage(settings.id),
  });
}

/** The upstreams of a single process. */
export function ownUpstreams(variables: CloudVariables): GatewayUpstreams {
  const upstreams = new Upstreams(variables);
  const states = new UpstreamStates(() => performance.now());
  const deviations = new DeviationCounts();
  const health = healthIn({ upstreams, states, deviations });
  return { upstreams, states, deviations, ownHealth: health, health, allDeviations: () => deviations.snapshot() };
}
