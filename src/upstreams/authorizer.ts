import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { ByteText } from "../lib/text/byte-text.ts";
import type { HeadersRead } from "./egress/headers-read.ts";

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

/** What an identity is doing, for health, tests and the doctor. */
export interface IdentityState {
  /** Where its credentials come from, in words: "the profile prod of ~/.aws/config". Undefined until they were found. */
  readonly source: string | undefined;
  /** When the present credentials expire, in ms since 1970; undefined where they do not, or there are none. */
  readonly expiresAtMs: number | undefined;
  /** Why the last attempt to obtain credentials failed; undefined where it did not. */
  readonly failure: string | undefined;
  /** How far the clock of this machine is behind that of the cloud. */
  readonly clockSkewMs: number;
}

/**
 * Authorizes requests by an identity at a cloud. Credentials are obtained and refreshed off the path of requests; a request waits only where
 * there are none yet.
 */
export interface Authorizer {
  /** The headers of the request, with its authorization. Throws `no_upstream_available` where there are no credentials. */
  authorize(request: OutgoingRequest): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Takes note of a reply, and tells whether the same request, authorized again, may succeed: the clock was wrong, or the access token was
   * revoked and is replaced. At most once per request.
   */
  isWorthRetrying(status: number, headers: HeadersRead): boolean | Promise<boolean>;
  /** Redacts the present credentials from a message of a server that has received them. */
  redactFrom(text: string): string;
  readonly state: IdentityState;
}

/** Finds the authorizer of an upstream; undefined where it has no identity. */
export interface AuthorizerLookup {
  authorizerOf(settings: Pick<RemoteSettings, "identity">): Authorizer | undefined;
}
