import { Secret } from "../../../lib/secret/secret.ts";
import { IdentityFailure } from "../credential-source.ts";
import { lastingKeys, variable, type AwsLookup, type ObtainedKeys } from "./aws-lookup.ts";
import { fromContainer } from "./container-credentials.ts";
import { fromEnvironment } from "./environment-credentials.ts";
import { fromInstanceMetadata } from "./instance-metadata.ts";
import { describeFiles, readSharedConfig, type Section, type SharedConfig } from "./shared-config.ts";
import { fromSso } from "./sso-credentials.ts";
import { assumeRole, type AssumedRole } from "./sts.ts";
import { withFile } from "./web-identity.ts";

const CREDENTIAL_SOURCES: Readonly<Record<string, (lookup: AwsLookup) => Promise<ObtainedKeys | undefined>>> = {
  Environment: fromEnvironment,
  EcsContainer: fromContainer,
  Ec2InstanceMetadata: fromInstanceMetadata,
};

/** The name of the profile that the identity or the environment asks for, if one does. */
export function chosenProfile(lookup: AwsLookup): string | undefined {
  return lookup.profile ?? variable(lookup, "AWS_PROFILE");
}

/** The credentials of a profile in the shared config files. */
export async function fromProfile(lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
  const name = chosenProfile(lookup) ?? "default";
  const found = await new ProfileCredentials(await readSharedConfig(lookup), lookup).find(name, []);
  // An upstream with a profile must not use another identity instead.
  if (!found && lookup.profile !== undefined) {
    throw new IdentityFailure("missing", `the profile ${name} has no credentials in ${describeFiles(lookup)}`);
  }
  return found;
}

/** Finds the credentials of profiles, which refer to each other. */
class ProfileCredentials {
  readonly #config: SharedConfig;
  readonly #lookup: AwsLookup;

  constructor(config: SharedConfig, lookup: AwsLookup) {
    this.#config = config;
    this.#lookup = lookup;
  }

  /** `via` has the profiles that led here. */
  async find(name: string, via: readonly string[]): Promise<ObtainedKeys | undefined> {
    const profile = this.#config.profiles.get(name);
    if (!profile) return undefined;
    const isSource = via.length > 0;
    if (isSource && hasKeys(profile)) return this.#keysOf(name, profile);
    if (profile["role_arn"] !== undefined && hasOneSource(profile)) return this.#assume(name, profile, via);
    if (isSource && profile["credential_source"] !== undefined) return this.#fromNamedSource(name, profile["credential_source"]);
    if (hasKeys(profile)) return this.#keysOf(name, profile);
    if (profile["role_arn"] !== undefined && profile["web_identity_token_file"] !== undefined) return this.#withWebIdentity(profile);
    refuseUnsupported(name, profile);
    return fromSso(name, profile, this.#config, this.#lookup);
  }

  #keysOf(name: string, profile: Section): ObtainedKeys {
    const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: sessionToken } = profile;
    return { credentials: lastingKeys(id!, secret!, sessionToken), source: `the profile ${name} of ${describeFiles(this.#lookup)}` };
  }

  async #assume(name: string, profile: Section, via: readonly string[]): Promise<ObtainedKeys> {
    if (profile["mfa_serial"] !== undefined) {
      const problem = `the profile ${name} has mfa_serial, and nobody is there to enter a code`;
      throw new IdentityFailure("rejected", `${problem}: use a role that can be assumed without it`);
    }
    const role = roleOf(profile);
    const { source_profile: sourceProfile } = profile;
    const found =
      sourceProfile === undefined
        ? await this.#fromNamedSource(name, profile["credential_source"]!)
        : await this.#fromSourceProfile(name, sourceProfile, via);
    return {
      credentials: await assumeRole(role, found.credentials, this.#lookup),
      source: `the role ${role.arn} of the profile ${name}, assumed with ${found.source}`,
    };
  }

  async #fromSourceProfile(name: string, source: string, via: readonly string[]): Promise<ObtainedKeys> {
    if (via.includes(source)) {
      throw new IdentityFailure("rejected", `the profiles ${via.join(", ")} name each other as source_profile: one of them needs keys`);
    }
    const found = await this.find(source, [...via, source]);
    if (found) return found;
    throw new IdentityFailure(
      "missing",
      `the profile ${source}, source_profile of ${name}, has no credentials in ${describeFiles(this.#lookup)}`,
    );
  }

  async #fromNamedSource(name: string, source: string): Promise<ObtainedKeys> {
    const obtain = CREDENTIAL_SOURCES[source];
    if (!obtain) {
      const known = Object.keys(CREDENTIAL_SOURCES).join(", ");
      throw new IdentityFailure("rejected", `credential_source of the profile ${name} is ${source}, but has to be one of ${known}`);
    }
    const found = await obtain(this.#lookup);
    if (found) return found;
    throw new IdentityFailure("missing", `the profile ${name} has credential_source = ${source}, whose variables are not set`);
  }

  #withWebIdentity(profile: Section): Promise<ObtainedKeys> {
    return withFile(profile["web_identity_token_file"]!, roleOf(profile), "web_identity_token_file", this.#lookup);
  }
}

function hasKeys(profile: Section): boolean {
  return profile["aws_access_key_id"] !== undefined && profile["aws_secret_access_key"] !== undefined;
}

function hasOneSource(profile: Section): boolean {
  return (profile["source_profile"] === undefined) !== (profile["credential_source"] === undefined);
}

function roleOf(profile: Section): AssumedRole {
  const { role_arn: arn, external_id: externalId, role_session_name: sessionName, duration_seconds: durationSeconds } = profile;
  return { arn: arn!, externalId: externalId === undefined ? undefined : new Secret(externalId), sessionName, durationSeconds };
}

function refuseUnsupported(name: string, profile: Section): void {
  if (profile["credential_process"] !== undefined) {
    const reason = "the gateway starts no other programs, so that nobody who can write this file can have it run one";
    throw new IdentityFailure("rejected", `the profile ${name} has credential_process: ${reason}. Use a role, SSO or keys`);
  }
  if (profile["login_session"] !== undefined) {
    throw new IdentityFailure(
      "rejected",
      `the profile ${name} has login_session, which is for people at a browser. Use a role, SSO or keys`,
    );
  }
}
