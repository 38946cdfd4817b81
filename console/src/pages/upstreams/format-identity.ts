import type { Upstream, UpstreamHealth } from "../../../../platform-client/types.ts";
import type { IdentityKind } from "./identity-draft.ts";

const CLOUDS: Readonly<Record<IdentityKind, string>> = { aws: "AWS", google: "Google Cloud", azure: "Microsoft Entra ID" };

/** The choices of a form. */
export const AUTHORIZATIONS = [
  { value: "credential", label: "Credential" },
  ...Object.entries(CLOUDS).map(([value, cloud]) => ({ value, label: `Identity at ${cloud}` })),
];

const OF_MACHINE = "identity of the machine";

/** The identity of an upstream in one line; undefined if it has none. */
export function describeIdentity({ aws, google, azure }: Pick<Upstream, IdentityKind>): string | undefined {
  if (aws) {
    const user = aws.access_key_id ?? (aws.profile === null ? OF_MACHINE : `profile ${aws.profile}`);
    return [CLOUDS.aws, aws.region, user, aws.role_arn].filter((part) => part !== null).join(" · ");
  }
  if (google) {
    const source = google.credentials_file ?? (google.has_credentials ? "JSON key" : OF_MACHINE);
    return [CLOUDS.google, google.project, google.location, source].filter((part) => part !== null).join(" · ");
  }
  if (!azure) return undefined;
  const secret = azure.has_client_secret ? "client secret" : azure.has_certificate ? "certificate" : OF_MACHINE;
  return [CLOUDS.azure, azure.tenant_id, azure.client_id, secret].filter((part) => part !== null).join(" · ");
}

type IdentityHealth = NonNullable<UpstreamHealth["identity"]>;

/** Whether an identity has no valid credentials, and cannot obtain any. */
export function lacksCredentials({ source, expires_at: expiresAt, failure }: IdentityHealth): boolean {
  return failure !== null && (source === null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now()));
}

/** The state of an identity's credentials, in sentences. */
export function describeCredentials({ source, expires_at: expiresAt, failure, clock_skew_ms: skewMs }: IdentityHealth): string {
  const expiry = expiresAt === null ? "" : `, ${Date.parse(expiresAt) <= Date.now() ? "expired at" : "valid until"} ${expiresAt}`;
  const found = source === null ? "No credentials yet." : `Credentials from ${source}${expiry}.`;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const skew = seconds === 0 ? "" : ` The clock of the gateway is ${seconds} s ${skewMs > 0 ? "behind" : "ahead of"} the cloud's clock.`;
  return `${found}${skew}${failure === null ? "" : ` The last attempt failed: ${failure}`}`;
}
