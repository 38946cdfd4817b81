/** Circuit breaker: a route is `healthy`; `ejected` until a later time; or `probing`, when the next call decides whether it has recovered. */
export const ROUTE_STATES = ["healthy", "ejected", "probing"] as const;

export type RouteState = (typeof ROUTE_STATES)[number];

/** Why a credential has a cooldown: it has reached a rate limit for some models (`busy`), or it was refused for all of them. */
export const COOLING_REASONS = ["busy", "credential"] as const;

export type CoolingReason = (typeof COOLING_REASONS)[number];

/** The health of an upstream, by the calls of this process. */
export interface UpstreamHealth {
  readonly inFlight: number;
  /** Calls that wait for one of those to end. */
  readonly queued: number;
  readonly models: readonly ModelHealth[];
  readonly credentials: readonly CredentialHealth[];
}

/** The health of one of its models. */
export interface ModelHealth {
  /** The upstream's own name for it. */
  readonly upstreamModel: string;
  readonly state: RouteState;
  /** When one that is out is due. */
  readonly dueInMs: number;
  readonly inFlight: number;
  /** What its last answer took to begin, however long ago that was; undefined where there was none. */
  readonly latencyMs: number | undefined;
  /** Of the last calls, so many have failed. */
  readonly recent: { readonly calls: number; readonly failures: number };
}

export interface CredentialHealth {
  /** All that is shown of it. Null where it is short, or there is none. */
  readonly last4: string | null;
  /** The cooldown that remains; the longest of its models' where it was not refused itself. */
  readonly coolForMs: number;
  readonly reason: CoolingReason | undefined;
  /** The models whose rate limit it has reached, by name. */
  readonly models: readonly { readonly upstreamModel: string; readonly coolForMs: number }[];
}
