import { awsDomain } from "../../../models/identities/aws-partitions.ts";
import type { CloudVariable } from "../../../models/identities/cloud-variables.ts";
import type { CloudPlace } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { variable, type AwsLookup } from "./aws-lookup.ts";

/** Where a service of AWS is called. */
interface AwsEndpoint {
  /** Without a slash at its end. */
  readonly url: string;
  readonly at: CloudPlace;
}

/** The base URL of a service in a region, such as `https://sts.us-gov-west-1.amazonaws.com`. */
export function endpointOf(service: string, region: string): string {
  return `https://${service}.${region}.${awsDomain(region)}`;
}

/** The same, or where a variable of this machine has put it: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html */
export function chosenEndpoint(service: string, region: string, name: CloudVariable, lookup: AwsLookup): AwsEndpoint {
  const chosen = variable(lookup, name);
  if (chosen === undefined) return { url: endpointOf(service, region), at: "internet" };
  return { url: requireUrl(chosen, name).replace(/\/+$/, ""), at: "chosen" };
}

/** The value of a variable, which has to be a URL. */
export function requireUrl(text: string, name: CloudVariable): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new IdentityFailure("rejected", `${name} is not a URL, such as https://host.example`);
}
