/** The circuit breaker's state of a route: in use; ejected; or due for a probe. */
export const ROUTE_STATES = ["healthy", "ejected", "probing"] as const;

export type RouteState = (typeof ROUTE_STATES)[number];

/** Why a credential has a cooldown: it has reached a rate limit for some models (`busy`), or it was rejected for all of them. */
export const COOLING_REASONS = ["busy", "credential"] as const;

export type CoolingReason = (typeof COOLING_REASONS)[number];

/** The health of an upstream, as the calls of one process show it, or those of all processes together. */
export interface UpstreamHealth {
  readonly inFlight: number;
  /** Calls queued for a free slot. */
  readonly queued: number;
  readonly models: readonly ModelHealth[];
  readonly credentials: readonly CredentialHealth[];
  /** Undefined where it has no identity at a cloud, or has not used it. */
  readonly identity?: IdentityState | undefined;
  /** Responses whose token counts were not charged, because nothing explains them; since the start. */
  readonly implausibleUsages?: number | undefined;
}

/** The health of one of its models. */
export interface ModelHealth {
  /** The upstream model. */
  readonly upstreamModel: string;
  readonly state: RouteState;
  /** When an ejected route is due for a probe. */
  readonly dueInMs: number;
  readonly inFlight: number;
  /** The time to first byte of its last response, however old; undefined where there was none. */
  readonly latencyMs: number | undefined;
  /** The number of failures among the last calls. */
  readonly recent: { readonly calls: number; readonly failures: number };
}

export interface CredentialHealth {
  /** The last characters of the credential. Null where it is too short, or there is none. */
  readonly last4: string | null;
  /** The remaining cooldown: its own, or else the longest of its models. */
  readonly coolForMs: number;
  readonly reason: CoolingReason | undefined;
  /** The models whose rate limit it has reached, by name. */
  readonly models: readonly { readonly upstreamModel: string; readonly coolForMs: number }[];
}

/** What an identity is doing, for health, tests and the doctor. */
export interface IdentityState {
  /** Where its credentials come from, in words: "the profile prod of ~/.aws/config". Undefined until they were found. */
  readonly source: string | undefined;
  /** When the present credentials expire, in ms since 1970; undefined where they do not, or there are none. */
  readonly expiresAtMs: number | undefined;
  /** Why the last attempt to obtain credentials failed; undefined where it did not. */
  readonly failure: string | undefined;
  /** How often that failed since the first attempt. */
  readonly refreshFailures: number;
  /** How far the clock of this machine is behind that of the cloud. */
  readonly clockSkewMs: number;
}
