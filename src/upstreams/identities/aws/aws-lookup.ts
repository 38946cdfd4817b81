import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import type { CloudVariable, CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { AwsKeys, ObtainedCredentials } from "../credential-source.ts";
import type { CloudClock } from "../cloud-clock.ts";

/** The dependencies of every lookup on this machine. */
export interface MachineLookup {
  readonly variables: CloudVariables;
  readonly signal: CancelSignal;
}

/** One search for the credentials of an identity, with the data that its sources need. */
export interface AwsLookup extends MachineLookup {
  readonly region: string;
  /** The profile that the identity names. */
  readonly profile: string | undefined;
  readonly clock: CloudClock;
}

export type ObtainedKeys = ObtainedCredentials<AwsKeys>;

/** The value of an environment variable, if it is set. */
export function variable({ variables }: MachineLookup, name: CloudVariable): string | undefined {
  return variables[name]?.reveal();
}

/** Keys that do not expire, or whose expiry is unknown. */
export function lastingKeys(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): AwsKeys {
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: sessionToken === undefined ? undefined : new Secret(sessionToken),
    expiresAtMs: undefined,
  };
}
