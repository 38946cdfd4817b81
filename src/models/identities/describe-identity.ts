import type { AwsIdentity, AzureIdentity, GoogleIdentity, Identity } from "./identity.ts";

/** An identity as operators see it, by its kind: without its secrets. */
export function describeIdentity(identity: Identity | undefined) {
  return {
    aws: identity?.kind === "aws" ? describeAws(identity) : null,
    google: identity?.kind === "google" ? describeGoogle(identity) : null,
    azure: identity?.kind === "azure" ? describeAzure(identity) : null,
  };
}

function describeAws({ region, keys, profile, role }: AwsIdentity) {
  return {
    region,
    profile: profile ?? null,
    access_key_id: keys?.accessKeyId ?? null,
    has_session_token: keys?.sessionToken !== undefined,
    role_arn: role?.arn ?? null,
    role_session_name: role?.sessionName ?? null,
    has_external_id: role?.externalId !== undefined,
  };
}

function describeGoogle({ project, location, credentials, credentialsFile }: GoogleIdentity) {
  return {
    project: project ?? null,
    location: location ?? null,
    credentials_file: credentialsFile ?? null,
    has_credentials: credentials !== undefined,
  };
}

function describeAzure({ tenantId, clientId, clientSecret, certificate, cloud }: AzureIdentity) {
  return {
    tenant_id: tenantId ?? null,
    client_id: clientId ?? null,
    cloud,
    has_client_secret: clientSecret !== undefined,
    has_certificate: certificate !== undefined,
  };
}
