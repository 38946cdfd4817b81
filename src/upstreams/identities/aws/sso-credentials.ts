import { isObject } from "../../../lib/schema/schema.ts";
import { callCloud } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { chosenEndpoint } from "./aws-endpoint.ts";
import type { AwsLookup, ObtainedKeys } from "./aws-lookup.ts";
import { objectIn, readKeys } from "./read-keys.ts";
import type { Section, SharedConfig } from "./shared-config.ts";
import { accessTokenOf, type SsoSession } from "./sso-session.ts";

const SSO_SETTINGS = ["sso_session", "sso_start_url", "sso_region", "sso_account_id", "sso_role_name"];
const REGION = /^[a-z\d-]+$/;

/** The credentials of a profile that `aws configure sso` has made: a role of IAM Identity Center. */
export async function fromSso(name: string, profile: Section, config: SharedConfig, lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
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
  const { roleCredentials } = objectIn(reply.text);
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
