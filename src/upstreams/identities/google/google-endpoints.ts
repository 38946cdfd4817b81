import type { CloudVariable, CloudVariables } from "../../../models/identities/cloud-variables.ts";
import { IdentityFailure } from "../credential-source.ts";
import type { CloudAddressPolicy } from "../call-cloud.ts";

/** The URL of a request, and which addresses it may resolve to. */
interface GoogleEndpoint {
  readonly url: string;
  readonly at: CloudAddressPolicy;
}

/** The requested scope. The roles of a service account decide what it may do. */
export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/**
 * gcloud's environment variables that override an endpoint, for Private Service Connect:
 * https://cloud.google.com/sdk/gcloud/reference/config/set
 */
const MOVED_BY = {
  token: "CLOUDSDK_AUTH_TOKEN_HOST",
  sts: "CLOUDSDK_API_ENDPOINT_OVERRIDES_STS",
  iamcredentials: "CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS",
} as const satisfies Record<string, CloudVariable>;

/** An endpoint of Google: on the internet, or at the host that an environment variable sets. */
export function endpointOf(url: string, service: keyof typeof MOVED_BY, variables: CloudVariables): GoogleEndpoint {
  const moved = variables[MOVED_BY[service]]?.reveal();
  if (moved === undefined) return { url, at: "internet" };
  const host = URL.parse(moved);
  if (!host || !/^https?:$/.test(host.protocol))
    throw new IdentityFailure("missing", `${MOVED_BY[service]} must be an http:// or https:// address`);
  const { pathname, search } = new URL(url);
  return { url: host.origin + pathname + search, at: "chosen" };
}

/**
 * Requires that a URL in a file is Google's own. Such files are passed around, and Google recommends validating them: a manipulated file
 * must not send the gateway's proof of identity elsewhere, nor direct the gateway to a host in a private network.
 */
export function requireGoogleUrl(url: unknown, field: string): string {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  const isGoogle =
    parsed?.protocol === "https:" && parsed.port === "" && /(^|\.)googleapis\.com$|^accounts\.google\.com$/.test(parsed.hostname);
  if (!isGoogle || parsed.username !== "") {
    throw new IdentityFailure("missing", `${field} of the Google credentials must be an https:// address of googleapis.com`);
  }
  return parsed.href;
}
