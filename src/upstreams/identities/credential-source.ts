import type { CancelSignal } from "../../lib/async/cancellation.ts";
import { Secret } from "../../lib/secret/secret.ts";

/** Credentials that may expire. */
export interface ExpiringCredentials {
  /** When the credentials expire by the clock of this machine, in milliseconds since 1970; undefined if they do not expire. */
  readonly expiresAtMs: number | undefined;
}

/** An OAuth access token. */
export interface AccessToken extends ExpiringCredentials {
  readonly token: Secret;
}

/** Keys that sign requests to AWS. */
export interface AwsKeys extends ExpiringCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
}

/** Credentials, and a description of their source. */
export interface ObtainedCredentials<Credentials extends ExpiringCredentials> {
  readonly credentials: Credentials;
  readonly source: string;
}

/** Obtains credentials from files or over the network. It does not cache them, and throws `IdentityFailure`. */
export interface CredentialSource<Credentials extends ExpiringCredentials> {
  obtain(signal: CancelSignal): Promise<ObtainedCredentials<Credentials>>;
  /** How far the clock of this machine is behind the cloud's clock, if it had to be corrected. */
  readonly clockSkewMs?: number;
}

/** The kind of failure, which determines the advice to the operator. */
export type IdentityFailureReason = "missing" | "expired" | "clock_skew" | "permission" | "unreachable" | "rejected";

/** Credentials could not be obtained. The message says what to do, and contains no secret. */
export class IdentityFailure extends Error {
  readonly reason: IdentityFailureReason;

  constructor(reason: IdentityFailureReason, message: string) {
    super(message);
    this.name = "IdentityFailure";
    this.reason = reason;
  }
}

/** An access token of a reply, which can be sent in a header. `from` names the server in messages. */
export function toToken(token: unknown, from: string): Secret {
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) throw new IdentityFailure("rejected", `${from} returned no access token`);
  return new Secret(token);
}
