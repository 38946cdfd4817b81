import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { ByteText } from "../lib/text/byte-text.ts";
import type { IdentityState } from "../models/upstream-health.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { Redactor } from "./sent-credentials.ts";

export type { IdentityState } from "../models/upstream-health.ts";

/** A request as it will be sent, but for its authorization. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST";
  /** The value of the `Host` header. */
  readonly host: string;
  /** Path and query, with the path of the base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly ByteText[] | undefined;
}

/**
 * Authorizes requests by an identity at a cloud. Credentials are obtained and refreshed off the path of requests; a request waits only where
 * there are none that are valid, and once more where the cloud has rejected those that it was sent with.
 */
export interface Authorizer {
  /** Throws `no_upstream_available` where there are no credentials. */
  authorize(request: OutgoingRequest): Authorization | Promise<Authorization>;
  /** Obtains credentials where there are none, also while requests wait after a failure. Throws `no_upstream_available` where it fails. */
  check(): Promise<void>;
  readonly state: IdentityState;
}

/** The authorization of one request: later requests may have other credentials. */
export interface Authorization extends Redactor {
  /** The headers of the request, with its authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Takes note of the reply, and returns whether the same request, authorized again, may succeed: the clock was wrong, or its credentials were
   * rejected and there are others. At most once per request.
   */
  isWorthRetrying(status: number, headers: HeadersRead): boolean | Promise<boolean>;
}

/** Finds the authorizer of an upstream; undefined where it has no identity. */
export interface AuthorizerLookup {
  authorizerOf(settings: Pick<RemoteSettings, "identity">): Authorizer | undefined;
}
