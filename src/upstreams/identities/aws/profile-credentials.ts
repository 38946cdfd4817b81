import { Secret } from "../../../lib/secret/secret.ts";
import { IdentityFailure } from "../credential-source.ts";
import { lastingKeys, variable, type AwsLookup, type ObtainedKeys } from "./aws-lookup.ts";
import { fromContainer } from "./container-credentials.ts";
import { fromEnvironment } from "./environment-credentials.ts";
import { fromInstanceMetadata } from "./instance-metadata.ts";
import { describeFiles, readSharedConfig, type Section, type SharedConfig } from "./shared-config.ts";
import { assumeRole, type AssumedRole } from "./sts.ts";
import { withFile } from "./web-identity.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import { callCloud } from "../call-cloud.ts";
import { chosenEndpoint } from "./aws-endpoint.ts";
import { readKeys } from "./read-keys.ts";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile } from "../read-text-file.ts";
import { tryParseObject } from "../../../lib/json/try-parse.ts";

const CREDENTIAL_SOURCES: Readonly<Record<string, (lookup: AwsLookup) => Promise<ObtainedKeys | undefined>>> = {
  Environment: fromEnvironment,
  EcsContainer: fromContainer,
  Ec2InstanceMetadata: fromInstanceMetadata,
};

/** The name of the profile that the identity or the environment selects, if any. */
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

/** Finds the credentials of profiles, which may refer to each other. */
class ProfileCredentials {
  readonly #config: SharedConfig;
  readonly #lookup: AwsLookup;

  constructor(config: SharedConfig, lookup: AwsLookup) {
    this.#config = config;
    this.#lookup = lookup;
  }

  /** `via` lists the profiles that led to this one. */
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

const SSO_SETTINGS = ["sso_session", "sso_start_url", "sso_region", "sso_account_id", "sso_role_name"];
const REGION = /^[a-z\d-]+$/;

/** The credentials of a profile that `aws configure sso` has created: a role of IAM Identity Center. */
async function fromSso(name: string, profile: Section, config: SharedConfig, lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
  if (!SSO_SETTINGS.some((setting) => profile[setting] !== undefined)) return undefined;
  const { sso_account_id: account, sso_role_name: role } = profile;
  const session = sessionOf(name, profile, config);
  if (account === undefined || role === undefined) {
    throw new IdentityFailure("rejected", `the profile ${name} needs sso_account_id and sso_role_name: run aws configure sso`);
  }
  const accessToken = await accessTokenOf(session, lookup);
  const { url: base, at } = chosenEndpoint("portal.sso", session.region, "AWS_ENDPOINT_URL_SSO", lookup);
  const url = `${base}/federation/credentials?${new URLSearchParams({ account_id: account, role_name: role }).toString()}`;
  const headers = { "x-amz-sso_bearer_token": accessToken };
  const reply = await callCloud({ url, headers, at }, lookup.signal);
  if (reply.status === 401) throw new IdentityFailure("expired", `the SSO session of the profile ${name} is over: run ${session.login}`);
  if (reply.status !== 200) {
    const reason = reply.status === 403 || reply.status === 404 ? "permission" : "rejected";
    throw new IdentityFailure(
      reason,
      `SSO refused the role ${role} in account ${account} with status ${reply.status}: assign it to this user`,
    );
  }
  const { roleCredentials } = tryParseObject(reply.text) ?? {};
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = isObject(roleCredentials) ? roleCredentials : {};
  const keys = readKeys({ accessKeyId, secretAccessKey, sessionToken, expiration }, reply, lookup.clock, "SSO");
  return { credentials: keys, source: `the SSO profile ${name}` };
}

function sessionOf(name: string, profile: Section, config: SharedConfig): SsoSession {
  const sessionName = profile["sso_session"];
  const settings = sessionName === undefined ? profile : config.ssoSessions.get(sessionName);
  const { sso_start_url: startUrl, sso_region: region } = settings ?? {};
  if (startUrl === undefined || region === undefined || !REGION.test(region)) {
    const place = sessionName === undefined ? `the profile ${name}` : `[sso-session ${sessionName}]`;
    throw new IdentityFailure("rejected", `${place} needs sso_start_url and sso_region: run aws configure sso`);
  }
  const login = `aws sso login --profile ${name}`;
  return { key: sessionName ?? startUrl, region, isRefreshable: sessionName !== undefined, login };
}

/** A session of IAM Identity Center that `aws sso login` has started. */
interface SsoSession {
  /** The name of the sso-session, or the start URL of a profile without one: the name of the cache file is its digest. */
  readonly key: string;
  readonly region: string;
  /** Only sessions with a name can be refreshed. */
  readonly isRefreshable: boolean;
  /** How to start the session again. */
  readonly login: string;
}

/** A session that ends within this time is refreshed. */
const EARLY_MS = 5 * 60_000;

/** Refreshes in flight by cache file: the identities of this process share a session, and a refresh token may be usable only once. */
const inFlight = new Map<string, Promise<string>>();

/** The access token of a session, from the cache of the AWS command line, refreshed if it is about to expire. */
async function accessTokenOf(session: SsoSession, lookup: AwsLookup): Promise<string> {
  const path = cachePath(session, lookup);
  return inFlight.getOrInsertComputed(path, () => readOrRefresh(session, path, lookup).finally(() => inFlight.delete(path)));
}

async function readOrRefresh(session: SsoSession, path: string, lookup: AwsLookup): Promise<string> {
  const text = await readTextFile(path);
  if (text === undefined) throw new IdentityFailure("missing", `there is no SSO session in ${path}: run ${session.login}`);
  const cached = tryParseObject(text) ?? {};
  const valid = validTokenIn(cached, lookup);
  if (valid && (valid.remainingMs > EARLY_MS || !session.isRefreshable)) return valid.accessToken;
  try {
    const refreshed = session.isRefreshable ? await refresh(cached, session, path, lookup) : undefined;
    if (refreshed !== undefined) return refreshed;
  } catch (error) {
    if (!valid) throw error;
  }
  // Another process may have refreshed the session in the meantime, which makes this refresh token unusable.
  const other = validTokenIn(tryParseObject((await readTextFile(path)) ?? "{}") ?? {}, lookup) ?? valid;
  if (other) return other.accessToken;
  throw new IdentityFailure("expired", `the SSO session in ${path} has expired: run ${session.login}`);
}

function validTokenIn({ accessToken, expiresAt }: Record<string, unknown>, { clock }: AwsLookup): ValidToken | undefined {
  const remainingMs = Date.parse(typeof expiresAt === "string" ? expiresAt : "") - clock.nowMs();
  return isHeaderText(accessToken) && remainingMs > 0 ? { accessToken, remainingMs } : undefined;
}

interface ValidToken {
  readonly accessToken: string;
  readonly remainingMs: number;
}

/** Undefined if the session cannot be refreshed. */
async function refresh(cached: Record<string, unknown>, session: SsoSession, path: string, lookup: AwsLookup): Promise<string | undefined> {
  const { clientId, clientSecret, refreshToken } = cached;
  if (typeof clientId !== "string" || typeof clientSecret !== "string" || typeof refreshToken !== "string") return undefined;
  const { url: base, at } = chosenEndpoint("oidc", session.region, "AWS_ENDPOINT_URL_SSO_OIDC", lookup);
  const body = JSON.stringify({ clientId, clientSecret, refreshToken, grantType: "refresh_token" });
  const reply = await callCloud({ url: `${base}/token`, body, at }, lookup.signal);
  const { accessToken, expiresIn, refreshToken: nextRefreshToken } = tryParseObject(reply.text) ?? {};
  if (reply.status !== 200 || !isHeaderText(accessToken) || typeof expiresIn !== "number") return undefined;
  const expiresAt = new Date(lookup.clock.nowMs() + expiresIn * 1000).toISOString();
  const next = { ...cached, accessToken, expiresAt, ...(typeof nextRefreshToken === "string" && { refreshToken: nextRefreshToken }) };
  await store(next, path);
  return accessToken;
}

/**
 * Stores the session for the next refresh and for the AWS command line: a refresh token may be usable only once. A folder that is not
 * writable is not a failure yet.
 */
async function store(cached: Record<string, unknown>, path: string): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify(cached, undefined, 2), { mode: 0o600 });
    await rename(temporary, path);
  } catch {
    // The access token is still used.
  }
}

function cachePath({ key }: SsoSession, lookup: AwsLookup): string {
  const home = variable(lookup, "HOME");
  if (home === undefined) throw new IdentityFailure("missing", "HOME is not set: it has the cache of SSO sessions");
  return join(home, ".aws", "sso", "cache", `${new Bun.CryptoHasher("sha1").update(key).digest("hex")}.json`);
}

function isHeaderText(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}
