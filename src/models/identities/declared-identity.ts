import type { Infer } from "../../lib/schema/infer.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import type { Fail, Schema } from "../../lib/schema/schema.ts";
import { readClientCertificate } from "../../lib/secret/client-certificate.ts";
import { Secret } from "../../lib/secret/secret.ts";
import {
  AZURE_CLOUDS,
  problemOfServiceAccount,
  typeOfCredentials,
  type AwsIdentity,
  type AzureIdentity,
  type GoogleIdentity,
  type Identity,
} from "./identity.ts";

/** A credential in one line. */
export const credentialSchema = {
  type: "string",
  pattern: "^[!-~]+$",
  patternInWords: "ASCII without spaces",
  isSecret: true,
} as const satisfies Schema;

/** A secret that may have several lines. */
const secretFileSchema = { type: "string", minLength: 1, isSecret: true } as const satisfies Schema;

const awsSchema = {
  title: "AwsIdentityInput",
  type: "object",
  form: "{ region: us-east-1 }",
  additionalProperties: false,
  required: ["region"],
  properties: {
    region: { type: "string", pattern: "^[a-z]{2,4}(-[a-z]+)+-\\d+$", patternInWords: "a region, such as us-east-1" },
    profile: { ...plainTextSchema, description: "A profile of the shared config files. Only in tollgate.yaml." },
    access_key_id: {
      type: "string",
      pattern: "^A[KS]IA[A-Z\\d]{12,124}$",
      patternInWords: "an access key ID, which starts with AKIA or ASIA",
      isSecret: true,
    },
    secret_access_key: credentialSchema,
    session_token: credentialSchema,
    role_arn: { type: "string", pattern: "^arn:aws[\\w-]*:iam::\\d{12}:role/[\\w+=,.@/-]+$", patternInWords: "the ARN of a role" },
    external_id: credentialSchema,
    role_session_name: { type: "string", pattern: "^[\\w+=,.@-]{2,64}$", patternInWords: "2 to 64 letters, digits and +=,.@-" },
  },
} as const satisfies Schema;

const googleSchema = {
  title: "GoogleIdentityInput",
  type: "object",
  form: "{ project: acme, location: global }",
  additionalProperties: false,
  properties: {
    project: { type: "string", pattern: "^[a-z][a-z\\d:.-]{4,61}[a-z\\d]$", patternInWords: "the ID of a project" },
    location: { type: "string", pattern: "^[a-z]+(-[a-z]+\\d+)?$", patternInWords: "a location, such as europe-west4 or global" },
    credentials: { ...secretFileSchema, description: "The text of the JSON key of a service account." },
    credentials_file: { ...plainTextSchema, description: "A file of the machine. Only in tollgate.yaml." },
  },
} as const satisfies Schema;

const azureSchema = {
  title: "AzureIdentityInput",
  type: "object",
  form: "{ tenant_id: …, client_id: …, client_secret: … }",
  additionalProperties: false,
  properties: {
    tenant_id: { type: "string", pattern: "^[\\w.-]+$", patternInWords: "the ID or domain of a tenant" },
    client_id: {
      type: "string",
      pattern: "^[\\da-fA-F]{8}(-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}$",
      patternInWords: "a client ID, which is a UUID",
    },
    client_secret: credentialSchema,
    certificate: { ...secretFileSchema, description: "A certificate and its private key, as PEM." },
    cloud: { type: "string", enum: AZURE_CLOUDS },
  },
} as const satisfies Schema;

/** The identity fields of a declared upstream. One of them may be set instead of a credential. */
export const identitySchemas = { aws: awsSchema, google: googleSchema, azure: azureSchema } as const;

type DeclaredAwsIdentity = Infer<typeof awsSchema>;
type DeclaredGoogleIdentity = Infer<typeof googleSchema>;
type DeclaredAzureIdentity = Infer<typeof azureSchema>;

export interface DeclaredIdentities {
  readonly aws?: DeclaredAwsIdentity;
  readonly google?: DeclaredGoogleIdentity;
  readonly azure?: DeclaredAzureIdentity;
}

/** The declared identity, if any. */
export function toIdentity({ aws, google, azure }: DeclaredIdentities, fail: Fail): Identity | undefined {
  const given = Object.entries({ aws, google, azure }).filter(([, identity]) => identity !== undefined);
  if (given.length > 1) fail([given[1]![0]], `cannot be combined with ${given[0]![0]}: an upstream has one identity`);
  if (aws) return toAws(aws, (path, message) => fail(["aws", ...path], message));
  if (google) return toGoogle(google, (path, message) => fail(["google", ...path], message));
  return azure && toAzure(azure, (path, message) => fail(["azure", ...path], message));
}

/** The inverse of `toIdentity`, without the secrets. */
export function fromIdentity(identity: Identity): DeclaredIdentities {
  switch (identity.kind) {
    case "aws":
      return { aws: fromAws(identity) };
    case "google":
      return {
        google: defined({ project: identity.project, location: identity.location, credentials_file: identity.credentialsFile }),
      };
    case "azure":
      return { azure: defined({ tenant_id: identity.tenantId, client_id: identity.clientId, cloud: identity.cloud }) };
  }
}

const SECRET_FIELDS = {
  aws: ["secret_access_key", "session_token", "external_id"],
  google: ["credentials"],
  azure: ["client_secret", "certificate"],
} as const;

/** The declared secrets, with their paths. */
export function secretFieldsOf(declared: DeclaredIdentities): [path: readonly string[], secret: string][] {
  return Object.entries(SECRET_FIELDS).flatMap(([kind, names]) => {
    const fields: Readonly<Record<string, string | undefined>> = { ...declared[kind as keyof DeclaredIdentities] };
    return names.flatMap((name): [readonly string[], string][] => (fields[name] === undefined ? [] : [[[kind, name], fields[name]]]));
  });
}

/** A declared upstream with the secrets of its identity, which `fromIdentity` omits. */
export function addSecrets<Declared extends DeclaredIdentities>(declared: Declared, secrets: Readonly<Record<string, string>>): Declared {
  const kind = (["aws", "google", "azure"] as const).find((each) => declared[each] !== undefined);
  return kind === undefined ? declared : { ...declared, [kind]: { ...declared[kind], ...secrets } };
}

function toAws(declared: DeclaredAwsIdentity, fail: Fail): AwsIdentity {
  const { region, profile, access_key_id: accessKeyId, secret_access_key: secret, session_token: sessionToken } = declared;
  const { role_arn: arn, external_id: externalId, role_session_name: sessionName } = declared;
  if ((accessKeyId === undefined) !== (secret === undefined)) {
    fail([secret === undefined ? "secret_access_key" : "access_key_id"], "is required: an access key has both parts");
  }
  if (accessKeyId === undefined && sessionToken !== undefined) fail(["session_token"], "needs aws.access_key_id and aws.secret_access_key");
  if (accessKeyId !== undefined && profile !== undefined)
    fail(["profile"], "cannot be combined with aws.access_key_id: set only one of them");
  if (arn === undefined && externalId !== undefined) fail(["external_id"], "needs aws.role_arn");
  if (arn === undefined && sessionName !== undefined) fail(["role_session_name"], "needs aws.role_arn");
  return {
    kind: "aws",
    region,
    keys:
      accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey: new Secret(secret!), sessionToken: toSecret(sessionToken) },
    profile,
    role: arn === undefined ? undefined : { arn, externalId: toSecret(externalId), sessionName },
  };
}

function fromAws({ region, profile, keys, role }: AwsIdentity): DeclaredAwsIdentity {
  const optional = { profile, access_key_id: keys?.accessKeyId, role_arn: role?.arn, role_session_name: role?.sessionName };
  return { region, ...defined(optional) };
}

function toGoogle(declared: DeclaredGoogleIdentity, fail: Fail): GoogleIdentity {
  const { project, location, credentials, credentials_file: credentialsFile } = declared;
  if (credentials !== undefined && credentialsFile !== undefined) {
    fail(["credentials_file"], "cannot be combined with google.credentials: set only one of them");
  }
  const problem = credentials === undefined ? undefined : problemOfCredentials(credentials);
  if (problem !== undefined) fail(["credentials"], problem);
  return { kind: "google", credentials: toSecret(credentials), credentialsFile, project, location };
}

function toAzure(declared: DeclaredAzureIdentity, fail: Fail): AzureIdentity {
  const { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret, certificate, cloud = "public" } = declared;
  if (clientSecret !== undefined && certificate !== undefined)
    fail(["certificate"], "cannot be combined with azure.client_secret: set only one of them");
  const hasSecret = clientSecret !== undefined || certificate !== undefined;
  const problem = certificate === undefined ? undefined : problemOfCertificate(certificate);
  if (problem !== undefined) fail(["certificate"], problem);
  if (hasSecret && tenantId === undefined) fail(["tenant_id"], "is required with a client secret or a certificate");
  if (hasSecret && clientId === undefined) fail(["client_id"], "is required with a client secret or a certificate");
  return { kind: "azure", tenantId, clientId, clientSecret: toSecret(clientSecret), certificate: toSecret(certificate), cloud };
}

/** An error never repeats the text: it may be a secret, and only some texts can be recognized as file paths. */
function problemOfCredentials(text: string): string | undefined {
  if (typeOfCredentials(text) === undefined) {
    const advice = isPath(text) ? ", not a path: use google.credentials_file in tollgate.yaml" : "";
    return `must be the text of a JSON file with a type, such as the key of a service account${advice}`;
  }
  return problemOfServiceAccount(text);
}

function problemOfCertificate(text: string): string | undefined {
  if (isPath(text)) return "must be the text of a certificate and its private key, as PEM, not the path of a file";
  const read = readClientCertificate(text);
  return "problem" in read ? read.problem : undefined;
}

function isPath(text: string): boolean {
  return /^[^\s{]*[/\\.][^\s{]*$/.test(text.trim());
}

function toSecret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}

function defined<Fields extends Record<string, string | undefined>>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}
