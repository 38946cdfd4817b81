import type { CreateUpstreamRequest, Upstream } from "../../../../platform-client/types.ts";

export type IdentityKind = "aws" | "google" | "azure";

/** How the requests of an upstream are authorized. */
export type Authorization = "credential" | IdentityKind;

/** An identity in a form: field values by path, such as `aws.region`. */
export type IdentityDraft = Readonly<Record<string, string>>;

export interface IdentityField {
  /** The field name in the platform API. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: true;
  /** The field is a secret, and never shown again. `long`: it has several lines. */
  readonly secret?: "short" | "long";
  /** The labels of the choices by value, the default first. */
  readonly choices?: Readonly<Record<string, string>>;
}

export const IDENTITY_FIELDS: Readonly<Record<IdentityKind, readonly IdentityField[]>> = {
  aws: [
    { name: "aws.region", label: "Region", hint: "Such as us-east-1.", required: true },
    { name: "aws.access_key_id", label: "Access key ID", required: true },
    { name: "aws.secret_access_key", label: "Secret access key", required: true, secret: "short" },
    { name: "aws.session_token", label: "Session token (optional)", hint: "Of temporary credentials, which expire.", secret: "short" },
    { name: "aws.role_arn", label: "Role ARN (optional)", hint: "The role to assume with the access key." },
    { name: "aws.external_id", label: "External ID (optional)", secret: "short" },
    { name: "aws.role_session_name", label: "Session name (optional)", hint: "Of the role, in the logs of CloudTrail." },
  ],
  google: [
    { name: "google.project", label: "Project ID (optional)" },
    { name: "google.location", label: "Location (optional)", hint: "Such as europe-west4 or global." },
    { name: "google.credentials", label: "JSON key", hint: "The key file of a service account.", required: true, secret: "long" },
  ],
  azure: [
    { name: "azure.tenant_id", label: "Tenant ID", required: true },
    { name: "azure.client_id", label: "Client ID", required: true },
    { name: "azure.client_secret", label: "Client secret", secret: "short" },
    {
      name: "azure.certificate",
      label: "Certificate",
      hint: "Instead of a client secret: the certificate and its private key, as PEM.",
      secret: "long",
    },
    { name: "azure.cloud", label: "Cloud", choices: { public: "Public", usgovernment: "US Government", china: "China" } },
  ],
};

export const IDENTITY_FIELD_NAMES: readonly string[] = Object.values(IDENTITY_FIELDS).flatMap((fields) => fields.map(({ name }) => name));

export function authorizationOf({ aws, google, azure }: Pick<Upstream, IdentityKind>): Authorization {
  return aws ? "aws" : google ? "google" : azure ? "azure" : "credential";
}

/** The readable fields of the identity of an upstream. */
export function identityDraftOf(upstream: Pick<Upstream, IdentityKind>): IdentityDraft {
  const kind = authorizationOf(upstream);
  if (kind === "credential") return {};
  const shown: Readonly<Record<string, unknown>> = upstream[kind]!;
  const texts = IDENTITY_FIELDS[kind].map(({ name }): [string, unknown] => [name, shown[name.slice(kind.length + 1)]]);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The fields of a request. Empty fields are omitted: the server reports the required ones. */
export function toIdentity(kind: IdentityKind, draft: IdentityDraft): Pick<CreateUpstreamRequest, IdentityKind> {
  const given = IDENTITY_FIELDS[kind].flatMap(({ name }): [string, string][] => {
    const text = draft[name]?.trim() ?? "";
    return text === "" ? [] : [[name.slice(kind.length + 1), text]];
  });
  return { [kind]: Object.fromEntries(given) };
}
