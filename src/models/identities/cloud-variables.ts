import type { Secret } from "../../lib/secret/secret.ts";

/** The environment variables of the clouds, as their own libraries name them. `config/` alone reads them. */
export const CLOUD_VARIABLES = [
  "HOME",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_PROFILE",
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_ROLE_ARN",
  "AWS_ROLE_SESSION_NAME",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "AWS_EC2_METADATA_DISABLED",
  "AWS_EC2_METADATA_SERVICE_ENDPOINT",
  "AWS_ENDPOINT_URL_STS",
  "AWS_ENDPOINT_URL_SSO",
  "AWS_ENDPOINT_URL_SSO_OIDC",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GCE_METADATA_HOST",
  "AZURE_TENANT_ID",
  "AZURE_CLIENT_ID",
  "AZURE_CLIENT_SECRET",
  "AZURE_CLIENT_CERTIFICATE_PATH",
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_AUTHORITY_HOST",
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
  "AZURE_POD_IDENTITY_AUTHORITY_HOST",
] as const;

export type CloudVariable = (typeof CLOUD_VARIABLES)[number];

/** Those that are set. All are secrets, because some are. */
export type CloudVariables = Readonly<Partial<Record<CloudVariable, Secret>>>;

export const NO_CLOUD_VARIABLES: CloudVariables = {};
