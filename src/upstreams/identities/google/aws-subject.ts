import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { CloudClock } from "../cloud-clock.ts";
import { AwsCredentials } from "../aws/aws-credentials.ts";
import { regionOfInstance } from "../aws/instance-metadata.ts";
import { signRequest } from "../aws/sign.ts";
import { IdentityFailure } from "../credential-source.ts";
import type { Federation } from "./google-file.ts";

/** What is signed for Google: no other request of AWS, and for no other host. */
const VERIFICATION_URL = /^https:\/\/sts(-fips)?\.\{region\}\.amazonaws\.com(\.cn)?\/?\?Action=GetCallerIdentity&Version=2011-06-15$/;

/** Signed too, so that the proof is of no use for another workload identity pool. */
const TARGET_HEADER = "x-goog-cloud-target-resource";

/**
 * The proof of a workload at AWS: the request `GetCallerIdentity`, signed and not sent. Google sends it, and learns from AWS who has signed it. The
 * credentials are those that the credential chain finds; the URLs of the configuration for them are not called, because such files are passed
 * around. https://cloud.google.com/iam/docs/workload-identity-federation-with-other-clouds
 */
export async function awsSubjectToken(
  { source, audience }: Federation,
  variables: CloudVariables,
  clock: CloudClock,
  signal: CancelSignal,
): Promise<Secret> {
  if (source["environment_id"] !== "aws1") throw wrong("environment_id", "must be aws1");
  const template = source["regional_cred_verification_url"];
  if (typeof template !== "string" || !VERIFICATION_URL.test(template)) {
    throw wrong("regional_cred_verification_url", "must be https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
  }
  const region = await regionOf(variables, signal);
  const url = template.replace("{region}", region);
  const identity = { kind: "aws", region, keys: undefined, profile: undefined, role: undefined } as const;
  const { credentials } = await new AwsCredentials(identity, variables, clock).obtain(signal);
  const { host, pathname, search } = new URL(url);
  const request = { method: "POST", host, target: pathname + search, headers: { [TARGET_HEADER]: audience }, body: undefined } as const;
  const signed = signRequest(request, credentials, { region, service: "sts", atMs: clock.nowMs() });
  const headers = Object.entries({ host, ...signed }).map(([key, value]) => ({ key, value }));
  return new Secret(encodeURIComponent(JSON.stringify({ url, method: "POST", headers })));
}

/** It becomes a part of a host name. */
async function regionOf(variables: CloudVariables, signal: CancelSignal): Promise<string> {
  const region = (variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION)?.reveal() ?? (await regionOfInstance({ variables, signal }));
  if (/^[a-z\d-]+$/.test(region)) return region;
  throw new IdentityFailure("missing", "the region of AWS is not known: set AWS_REGION");
}

function wrong(field: string, problem: string): IdentityFailure {
  return new IdentityFailure("missing", `${field} in the credential_source of the Google credentials ${problem}`);
}
