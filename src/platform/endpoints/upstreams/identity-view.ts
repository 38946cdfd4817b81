import type { Schema } from "../../../lib/schema/schema.ts";
import type { IdentityState } from "../../../models/upstream-health.ts";
import { timeSchema } from "../fields/times.ts";
import { AZURE_CLOUDS } from "../../../models/identities/identity.ts";

const text = { type: "string", nullable: true } as const satisfies Schema;
const flag = { type: "boolean" } as const satisfies Schema;

/** The identity of an upstream at a cloud, by its kind. Secrets are not shown: only whether they are set. */
export const identityViews = {
  aws: {
    title: "AwsIdentityOrNull",
    description: "The identity at AWS. Without an access key it is that of the machine, or of the profile.",
    type: "object",
    nullable: true,
    required: ["region", "profile", "access_key_id", "has_session_token", "role_arn", "role_session_name", "has_external_id"],
    properties: {
      region: { type: "string" },
      profile: text,
      access_key_id: text,
      has_session_token: flag,
      role_arn: text,
      role_session_name: text,
      has_external_id: flag,
    },
  },
  google: {
    title: "GoogleIdentityOrNull",
    description: "The identity at Google Cloud. Without credentials it is that of the machine.",
    type: "object",
    nullable: true,
    required: ["project", "location", "credentials_file", "has_credentials"],
    properties: { project: text, location: text, credentials_file: text, has_credentials: flag },
  },
  azure: {
    title: "AzureIdentityOrNull",
    description: "The identity at Microsoft Entra ID. Without a client secret or a certificate it is that of the machine.",
    type: "object",
    nullable: true,
    required: ["tenant_id", "client_id", "cloud", "has_client_secret", "has_certificate"],
    properties: {
      tenant_id: text,
      client_id: text,
      cloud: { type: "string", enum: AZURE_CLOUDS },
      has_client_secret: flag,
      has_certificate: flag,
    },
  },
} satisfies Record<string, Schema>;

/** What is known of the credentials of an identity. */
export const identityHealthSchema = {
  title: "IdentityHealthOrNull",
  type: "object",
  nullable: true,
  description: "The identity at a cloud; null for an upstream without one.",
  required: ["source", "expires_at", "failure", "refresh_failures", "clock_skew_ms"],
  properties: {
    source: { type: "string", nullable: true, description: "Where the credentials come from; null until they were found." },
    expires_at: { ...timeSchema, nullable: true, description: "When the credentials expire; null if they do not, or there are none." },
    failure: { type: "string", nullable: true, description: "Why they could not be obtained or refreshed; null if they were." },
    refresh_failures: { type: "integer", description: "How often that failed, since startup or since the last change of the settings." },
    clock_skew_ms: { type: "integer", description: "How far the clock of this machine is behind that of the cloud, in milliseconds." },
  },
} as const satisfies Schema;

/** The state of an identity, as the API returns it. */
export function viewIdentity(identity: IdentityState | undefined) {
  if (!identity) return null;
  const { source = null, expiresAtMs, failure = null, refreshFailures, clockSkewMs } = identity;
  const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
  return { source, expires_at, failure, refresh_failures: refreshFailures, clock_skew_ms: Math.round(clockSkewMs) };
}
