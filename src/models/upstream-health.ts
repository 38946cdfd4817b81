/** The circuit breaker's state of a route: in use; ejected; or due for a probe. */
export const ROUTE_STATES = ["healthy", "ejected", "probing"] as const;

export type RouteState = (typeof ROUTE_STATES)[number];

/** Why a credential has a cooldown: it has reached a rate limit for some models (`busy`), or it was rejected for all of them. */
export const COOLING_REASONS = ["busy", "credential"] as const;

export type CoolingReason = (typeof COOLING_REASONS)[number];

/** The health of an upstream, according to the calls of one process, or of all processes together. */
export interface UpstreamHealth {
  readonly inFlight: number;
  /** Calls queued for a free slot. */
  readonly queued: number;
  readonly models: readonly ModelHealth[];
  readonly credentials: readonly CredentialHealth[];
  /** Undefined if it has no identity at a cloud, or has not used it. */
  readonly identity?: IdentityState | undefined;
  /** The number of responses since startup whose token counts were not charged, because they were implausible. */
  readonly implausibleUsages?: number;
  /** The number of responses since startup with usage that the gateway does not know, or that the price of the model does not have. */
  readonly unpricedUsages?: number;
  /** The names of this usage. */
  readonly unpricedFields?: readonly string[];
}

/** The health of one of its models. */
export interface ModelHealth {
  /** The upstream model. */
  readonly upstreamModel: string;
  readonly state: RouteState;
  /** The time until an ejected route is due for a probe. */
  readonly probeDueInMs: number;
  readonly inFlight: number;
  /** The time to first byte of its last response, however old it is; undefined if there was none. */
  readonly latencyMs: number | undefined;
  /** The number of failures among the last calls. */
  readonly recent: { readonly calls: number; readonly failures: number };
}

export interface CredentialHealth {
  /** The last characters of the credential. Null if it is too short, or if there is none. */
  readonly last4: string | null;
  /** The remaining cooldown: the credential's own cooldown, otherwise the longest cooldown of its models. */
  readonly coolForMs: number;
  readonly reason: CoolingReason | undefined;
  /** The models whose rate limit it has reached, by name. */
  readonly models: readonly { readonly upstreamModel: string; readonly coolForMs: number }[];
}

/** The state of an identity, for health, tests and the doctor. */
export interface IdentityState {
  /** The source of its credentials, as text: "the profile prod of ~/.aws/config". Undefined until credentials were found. */
  readonly source: string | undefined;
  /** When the current credentials expire, in ms since 1970; undefined if they do not expire, or if there are none. */
  readonly expiresAtMs: number | undefined;
  /** Why the last attempt to obtain credentials failed; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** The number of failures since the first attempt. */
  readonly refreshFailures: number;
  /** How far this machine's clock is behind the cloud's clock. */
  readonly clockSkewMs: number;
}
