import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { ByteText } from "../lib/text/byte-text.ts";
import type { IdentityState } from "../models/upstream-health.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { Redactor } from "./sent-credentials.ts";

export type { IdentityState } from "../models/upstream-health.ts";

/** A request as it will be sent, without its authorization. */
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
 * Authorizes requests by an identity at a cloud. Credentials are obtained and refreshed in the background. A request waits only if there
 * are no valid credentials, and once more if the cloud has rejected the credentials of the request.
 */
export interface Authorizer {
  /** Throws `no_upstream_available` if there are no credentials. */
  authorize(request: OutgoingRequest): Authorization | Promise<Authorization>;
  /** Obtains credentials if there are none, even during the wait after a failure. Throws `no_upstream_available` if that fails. */
  check(): Promise<void>;
  readonly state: IdentityState;
}

/** The authorization of one request. Later requests may use other credentials. */
export interface Authorization extends Redactor {
  /** The headers of the request, with its authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Evaluates the reply, and returns whether the same request may succeed with a new authorization: because the clock was wrong, or because
   * its credentials were rejected and there are others. Returns true at most once per request.
   */
  isWorthRetrying(status: number, headers: HeadersRead): boolean | Promise<boolean>;
}

/** Finds the authorizer of an upstream; undefined if the upstream has no identity. */
export interface AuthorizerLookup {
  authorizerOf(settings: Pick<RemoteSettings, "identity">): Authorizer | undefined;
}
