import { readFileSync } from "node:fs";
import { AZURE_CLOUDS } from "../../../models/identities/identity.ts";
import { UsageError, type Option } from "../../command.ts";
import { choice, text } from "../../options.ts";

/** A secret in a file: a command line stays in the shell's history and is visible to other users. */
function secretFile(field: string, meaning: string): Option {
  return {
    field,
    meaning: `file with ${meaning}, or - for stdin`,
    value: "FILE",
    read(path, name) {
      const secret = readText(path, name).trim();
      if (secret === "") throw new UsageError(`${name}: ${path === "-" ? "stdin" : path} is empty`);
      return secret;
    },
  };
}

function readText(path: string, name: string): string {
  if (path === "-" && process.stdin.isTTY) throw new UsageError(`${name} - reads stdin, which is a terminal here: pipe the secret in`);
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new UsageError(`${name}: ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** The identity of an upstream at a cloud, in the place of a credential. */
export const IDENTITY_OPTIONS = {
  "aws-region": text("aws.region", "AWS: region, such as us-east-1", "REGION"),
  "aws-access-key-id": text("aws.access_key_id", "AWS: access key ID", "ID"),
  "aws-secret-access-key": secretFile("aws.secret_access_key", "the secret access key"),
  "aws-session-token": secretFile("aws.session_token", "the session token of temporary credentials"),
  "aws-role-arn": text("aws.role_arn", "AWS: role to assume with the access key", "ARN"),
  "aws-external-id": secretFile("aws.external_id", "the external ID of the role"),
  "aws-role-session-name": text("aws.role_session_name", "AWS: session name of the role", "NAME"),
  "google-project": text("google.project", "Google Cloud: project ID", "ID"),
  "google-location": text("google.location", "Google Cloud: location, such as europe-west4 or global", "LOCATION"),
  "google-credentials": secretFile("google.credentials", "the JSON key of a service account"),
  "azure-tenant-id": text("azure.tenant_id", "Entra ID: tenant", "ID"),
  "azure-client-id": text("azure.client_id", "Entra ID: client ID", "ID"),
  "azure-client-secret": secretFile("azure.client_secret", "the client secret"),
  "azure-certificate": secretFile("azure.certificate", "the certificate and its private key, as PEM"),
  "azure-cloud": choice("azure.cloud", AZURE_CLOUDS, "Entra ID: cloud (default: public)"),
};
