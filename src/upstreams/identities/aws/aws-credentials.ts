import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { AwsIdentity } from "../../../models/identities/identity.ts";
import { IdentityFailure, type AwsKeys, type CredentialSource } from "../credential-source.ts";
import type { CloudClock } from "../cloud-clock.ts";
import type { AwsLookup, ObtainedKeys } from "./aws-lookup.ts";
import { fromContainer } from "./container-credentials.ts";
import { fromEnvironment } from "./environment-credentials.ts";
import { fromInstanceMetadata, isMetadataDisabled } from "./instance-metadata.ts";
import { chosenProfile, fromProfile } from "./profile-credentials.ts";
import { describeFiles } from "./shared-config.ts";
import { assumeRole } from "./sts.ts";
import { fromWebIdentity } from "./web-identity.ts";

/**
 * The credentials of an identity at AWS: its own keys, or the keys that the credential chain of the AWS libraries finds. With these keys,
 * its role is then assumed.
 */
export class AwsCredentials implements CredentialSource<AwsKeys> {
  readonly #identity: AwsIdentity;
  readonly #variables: CloudVariables;
  readonly #clock: CloudClock;

  constructor(identity: AwsIdentity, variables: CloudVariables, clock: CloudClock) {
    this.#identity = identity;
    this.#variables = variables;
    this.#clock = clock;
  }

  async obtain(signal: CancelSignal): Promise<ObtainedKeys> {
    const { region, profile, keys, role } = this.#identity;
    const lookup = { region, profile, variables: this.#variables, clock: this.#clock, signal };
    const found = keys
      ? { credentials: { ...keys, expiresAtMs: undefined }, source: "the access key of the upstream" }
      : await search(lookup);
    if (!role) return found;
    return {
      credentials: await assumeRole(role, found.credentials, lookup),
      source: `the role ${role.arn}, assumed with ${found.source}`,
    };
  }
}

/**
 * The sources in the order of the AWS libraries. A source that is configured but fails is not skipped: the next source would be another
 * identity.
 */
async function search(lookup: AwsLookup): Promise<ObtainedKeys> {
  const isProfileChosen = chosenProfile(lookup) !== undefined;
  const found =
    (!isProfileChosen && (await fromEnvironment(lookup))) ||
    (await fromProfile(lookup)) ||
    (await fromWebIdentity(lookup)) ||
    (await fromContainer(lookup));
  if (found) return found;
  if (isMetadataDisabled(lookup)) throw nothingFound(lookup, "AWS_EC2_METADATA_DISABLED is set");
  try {
    return await fromInstanceMetadata(lookup);
  } catch (error) {
    throw error instanceof IdentityFailure && error.reason === "unreachable" ? nothingFound(lookup, error.message) : error;
  }
}

/** The message if only one of the two variables is set: a mistake that would otherwise go unnoticed. */
function missingKeys({ variables: { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } }: AwsLookup): string {
  if (id && !secret) return "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY";
  if (secret && !id) return "AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID";
  return "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";
}

function nothingFound(lookup: AwsLookup, metadata: string): IdentityFailure {
  const profile = chosenProfile(lookup);
  const places = [
    profile === undefined ? missingKeys(lookup) : `AWS_PROFILE is ${profile}`,
    `${describeFiles(lookup)} have no credentials in the profile ${profile ?? "default"}`,
    "AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN are not set",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and AWS_CONTAINER_CREDENTIALS_FULL_URI are not set",
    metadata,
  ];
  return new IdentityFailure("missing", `no AWS credentials: ${places.join("; ")}`);
}
