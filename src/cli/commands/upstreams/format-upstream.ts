import type { ConcurrencyOrNull, Timeouts, Upstream } from "../../../../platform-client/types.ts";
import { TIMEOUTS } from "../../../models/timeouts.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatNumber, managedBy } from "../../format/format-values.ts";

export function describeUpstream(upstream: Upstream): string {
  const { preset, api_version: version, timeouts, concurrency, unknown_parameters: unknown } = upstream;
  return formatDetails([
    ["Upstream", `${upstream.id} (${preset === null ? "" : `preset ${preset}, `}API format ${upstream.dialect})`],
    ["Base URL", describeBaseUrl(upstream)],
    ...(version === null ? [] : [["API version", version]]),
    ["Credential", describeCredentials(upstream)],
    ["Managed by", managedBy(upstream.managed_by)],
    ["Models", upstream.models.toSorted().join(", ") || "none"],
    ...(timeouts === null ? [] : [["Timeouts", describeTimeouts(timeouts)]]),
    ...(concurrency === null ? [] : [["Concurrency", describeConcurrency(concurrency)]]),
    ...(unknown === null ? [] : [["Unknown parameters", unknown]]),
    ...(upstream.headers.length === 0 ? [] : [["Headers", upstream.headers.join(", ")]]),
    ...(upstream.organization === null ? [] : [["Organization", upstream.organization]]),
    ...(upstream.project === null ? [] : [["Project", upstream.project]]),
  ]);
}

export function describeTimeouts(timeouts: Timeouts): string {
  return TIMEOUTS.flatMap(({ field, label }) => {
    const ms = timeouts[field];
    return ms === undefined ? [] : [`${label.toLowerCase()} ${formatNumber(ms)} ms`];
  }).join(", ");
}

function describeConcurrency({ max_calls: calls, max_queued: queued, max_wait_ms: ms }: NonNullable<ConcurrencyOrNull>): string {
  const [most, more, wait] = [calls, queued, ms].map(formatNumber);
  return `${most} calls, ${more} queued for up to ${wait} ms`;
}

function describeBaseUrl({ base_url: baseUrl, allow_private: isPrivate }: Upstream): string {
  if (baseUrl === null) return "built in";
  return isPrivate ? `${baseUrl} (private networks allowed)` : baseUrl;
}

/** The identity, or the last four characters of each credential. */
export function describeCredentials(upstream: Upstream): string {
  return describeIdentity(upstream) ?? describeSecrets(upstream);
}

function describeIdentity({ aws, google, azure }: Upstream): string | undefined {
  if (aws) {
    const user = aws.access_key_id ?? (aws.profile === null ? "identity of the machine" : `profile ${aws.profile}`);
    return `AWS ${aws.region}, ${user}${aws.role_arn === null ? "" : `, role ${aws.role_arn}`}`;
  }
  if (google) {
    const place = [google.project, google.location].filter((each) => each !== null).map((each) => `${each}, `);
    return `Google Cloud ${place.join("")}${google.credentials_file ?? (google.has_credentials ? "credentials set" : "identity of the machine")}`;
  }
  if (!azure) return undefined;
  const secret = azure.has_client_secret ? "client secret set" : azure.has_certificate ? "certificate set" : "identity of the machine";
  return `Entra ID ${azure.client_id === null ? "" : `${azure.client_id}, `}${secret}`;
}

function describeSecrets({ credentials }: Upstream): string {
  return credentials.map(({ last4 }) => (last4 === null ? "set" : `…${last4}`)).join(", ") || "none";
}
