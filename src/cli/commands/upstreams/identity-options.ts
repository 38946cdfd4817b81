import { AZURE_CLOUDS } from "../../../models/identities/identity.ts";
import { UsageError, type Option } from "../../command.ts";
import { choice, text } from "../../options.ts";
import { readSecretFile } from "../../secret-file.ts";

function secretFile(field: string, meaning: string): Option {
  return { field, meaning: `file with ${meaning}, or - for stdin`, value: "FILE", read: readSecretFile };
}

const NAME_AND_FILE = /^([^=\s]+)=(.+)$/;

/** The value of a request header in a file, or null to remove the header. */
export function readHeaderFile(path: string, name: string): string | null {
  return path === "none" ? null : readSecretFile(path, name);
}

/** Request headers, whose values are also secret. */
export const HEADER: Option = {
  field: "headers",
  meaning: "request header, with a file that has its value, or - for stdin; repeatable; NAME=none removes one, none removes all",
  value: "NAME=FILE",
  read(given, name) {
    if (given === "none") return null;
    const [, header, path] = NAME_AND_FILE.exec(given) ?? [];
    if (header === undefined) throw new UsageError(`${name} must be a header and a file with its value, such as x-team=team.txt, or none`);
    return [header, readHeaderFile(path!, name)];
  },
  gather(all) {
    if (!all.includes(null)) return Object.fromEntries(all as [string, string | null][]);
    if (all.length > 1) throw new UsageError("--header none cannot be combined with other headers");
    return null;
  },
};

/** The identity of an upstream at a cloud, instead of a credential. */
export const IDENTITY_OPTIONS = {
  "aws-region": text("aws.region", "AWS: region, such as us-east-1", "REGION"),
  "aws-access-key-id": text("aws.access_key_id", "AWS: access key ID", "ID"),
  "aws-secret-access-key-file": secretFile("aws.secret_access_key", "the secret access key"),
  "aws-session-token-file": secretFile("aws.session_token", "the session token of temporary credentials"),
  "aws-role-arn": text("aws.role_arn", "AWS: role to assume with the access key", "ARN"),
  "aws-external-id-file": secretFile("aws.external_id", "the external ID of the role"),
  "aws-role-session-name": text("aws.role_session_name", "AWS: session name of the role", "NAME"),
  "google-project": text("google.project", "Google Cloud: project ID", "ID"),
  "google-location": text("google.location", "Google Cloud: location, such as europe-west4 or global", "LOCATION"),
  "google-credentials-file": secretFile("google.credentials", "the JSON key of a service account"),
  "azure-tenant-id": text("azure.tenant_id", "Entra ID: tenant", "ID"),
  "azure-client-id": text("azure.client_id", "Entra ID: client ID", "ID"),
  "azure-client-secret-file": secretFile("azure.client_secret", "the client secret"),
  "azure-certificate-file": secretFile("azure.certificate", "the certificate and its private key, as PEM"),
  "azure-cloud": choice("azure.cloud", AZURE_CLOUDS, "Entra ID: cloud (default: public)"),
};
