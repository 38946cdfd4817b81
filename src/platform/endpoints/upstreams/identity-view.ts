import type { Schema } from "../../../lib/schema/schema.ts";
import { AZURE_CLOUDS } from "../../../models/identities/identity.ts";

const text: Schema = { type: "string", nullable: true };
const flag: Schema = { type: "boolean" };

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
