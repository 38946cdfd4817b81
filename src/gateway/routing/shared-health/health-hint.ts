import type { CircuitChange } from "../health/circuit-breaker.ts";
import type { Cooldown } from "../health/credential-cooldown.ts";
import type { UpstreamState } from "../health/upstream-state.ts";
import { digestOf } from "./upstream-digest.ts";

/** The name of both sides of the service. */
export const HEALTH = "health";

/** What the calls of one process have shown of an upstream. Durations count from its arrival: no clocks are compared. */
export type HealthHint = CircuitHint | CooldownHint;

export interface CircuitHint {
  readonly upstream: string;
  /** A process with other settings of the upstream ignores the hint. */
  readonly digest: string;
  readonly upstreamModel: string;
  readonly change: CircuitChange;
}

export interface CooldownHint {
  readonly upstream: string;
  readonly digest: string;
  /** Counted from 0. */
  readonly credential: number;
  readonly cooldown: Cooldown;
}

/** The state of an upstream as it is configured in this process; undefined where it is not. */
export type FindState = (upstream: string) => UpstreamState | undefined;

/** Does in this process what the hint says. */
export function follow(hint: HealthHint, findState: FindState): void {
  const state = findState(hint.upstream);
  if (!state || digestOf(state.settings) !== hint.digest) return;
  if ("change" in hint) state.healthOf(hint.upstreamModel).follow(hint.change);
  else state.credentials[hint.credential]?.cool(hint.cooldown);
}
