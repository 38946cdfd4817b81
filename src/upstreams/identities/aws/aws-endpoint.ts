import { awsDomain } from "../../../models/identities/aws-partitions.ts";
import type { CloudVariable } from "../../../models/identities/cloud-variables.ts";
import type { CloudAddressPolicy } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { variable, type AwsLookup } from "./aws-lookup.ts";

/** The endpoint of an AWS service. */
interface AwsEndpoint {
  /** The URL without a trailing slash. */
  readonly url: string;
  readonly at: CloudAddressPolicy;
}

/** The base URL of a service in a region, such as `https://sts.us-gov-west-1.amazonaws.com`. */
export function endpointOf(service: string, region: string): string {
  return `https://${service}.${region}.${awsDomain(region)}`;
}

/**
 * The same URL, or the URL in an environment variable that overrides it:
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function chosenEndpoint(service: string, region: string, name: CloudVariable, lookup: AwsLookup): AwsEndpoint {
  const chosen = variable(lookup, name);
  if (chosen === undefined) return { url: endpointOf(service, region), at: "internet" };
  return { url: requireUrl(chosen, name).replace(/\/+$/, ""), at: "chosen" };
}

/** The value of an environment variable, which must be a URL. */
export function requireUrl(text: string, name: CloudVariable): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new IdentityFailure("rejected", `${name} is not a URL, such as https://host.example`);
}
