import { DeviationCounts } from "../gateway/routing/health/deviation-counts.ts";
import { UpstreamStates } from "../gateway/routing/health/upstream-state.ts";
import type { DeviationCount } from "../models/deviation.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { CloudVariables } from "../models/identities/cloud-variables.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { Upstreams } from "../upstreams/registry.ts";

/** The upstreams of a process that has the platform, and what is known of them. */
export interface GatewayUpstreams {
  readonly upstreams: Upstreams;
  readonly states: UpstreamStates;
  /** Of the calls of this process. */
  readonly deviations: DeviationCounts;
  /** As the calls of this process show it. */
  readonly ownHealth: (settings: UpstreamSettings) => UpstreamHealth;
  /** As the calls of all processes show it. */
  readonly health: (settings: UpstreamSettings) => UpstreamHealth;
  /** Of the calls of all processes. */
  readonly allDeviations: () => DeviationCount[];
}

/** The health of upstreams as the calls of a process show it. */
export function healthIn({
  upstreams,
  states,
  deviations,
}: Pick<GatewayUpstreams, "upstreams" | "states" | "deviations">): GatewayUpstreams["ownHealth"] {
  return (settings) => ({
    ...states.of(upstreams.of(settings)).health,
    implausibleUsages: deviations.implausibleUsages(settings.id),
  });
}

/** Those of a single process. */
export function ownUpstreams(variables: CloudVariables): GatewayUpstreams {
  const upstreams = new Upstreams(variables);
  const states = new UpstreamStates(() => performance.now());
  const deviations = new DeviationCounts();
  const health = healthIn({ upstreams, states, deviations });
  return { upstreams, states, deviations, ownHealth: health, health, allDeviations: () => deviations.snapshot() };
}
