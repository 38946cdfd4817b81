import { findViolation, formatPath, type Path } from "../../../../lib/schema/schema.ts";
import { identitySchemas, toIdentity } from "../../../../models/identities/declared-identity.ts";
import type { Identity } from "../../../../models/identities/identity.ts";
import type { Fields } from "../yaml/fields.ts";
import { isFilledIn, referenceIn, variableIn, type Credential } from "../references.ts";
import { UnsupportedError } from "../unsupported.ts";

/** The identity of an upstream at a cloud, as fields of tollgate.yaml. */
export interface ConvertedIdentity {
  readonly kind: Identity["kind"];
  /** Each field is text, or `${NAME}`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Credential>>;
}

/** Possible values of variables, for fields that do not accept every text. */
const SAMPLES: Readonly<Record<string, string>> = {
  region: "us-east-1",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  role_arn: "arn:aws:iam::123456789012:role/sample",
  project: "sample",
  credentials: '{"type":"service_account","client_email":"sample","private_key":"sample"}',
  client_id: "00000000-0000-0000-0000-000000000000",
};

const AWS_TEXTS = {
  aws_access_key_id: "access_key_id",
  aws_profile_name: "profile",
  aws_role_name: "role_arn",
  aws_session_name: "role_session_name",
};
const AWS_SECRETS = { aws_secret_access_key: "secret_access_key", aws_session_token: "session_token", aws_external_id: "external_id" };

const GOOGLE_NAMES = { vertex_project: "project", vertex_location: "location", vertex_credentials: "credentials" };

/** LiteLLM's name for each field. Errors name the field that the reader knows. */
const LITELLM_NAMES: Readonly<Record<Identity["kind"], ReadonlyMap<string, string>>> = {
  aws: namesOf({ aws_region_name: "region", ...AWS_TEXTS, ...AWS_SECRETS }),
  google: namesOf(GOOGLE_NAMES),
  azure: new Map(),
};

function namesOf(fields: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(fields).map(([name, field]) => [field, name]));
}

/** The access key, profile or role of a deployment at Bedrock. If it has none, the machine's identity is used. */
export function convertAws(params: Fields, region: string): ConvertedIdentity {
  // The role with a web identity is the machine's, whose token is in a file: `whyNotParameter` names the variables.
  if (params.names.includes("aws_web_identity_token")) {
    params.take("aws_role_name");
    return checked({ kind: "aws", fields: { region }, secrets: {} });
  }
  return checked({ kind: "aws", fields: { region, ...textsIn(params, AWS_TEXTS) }, secrets: secretsIn(params, AWS_SECRETS) });
}

/** LiteLLM reads both fields. */
export const VERTEX_CREDENTIALS = ["vertex_credentials", "vertex_ai_credentials"] as const;

/**
 * The credentials of a deployment at Vertex AI. LiteLLM accepts JSON or the path of a file. If there are none, the machine's credentials
 * are used.
 */
export function convertGoogle(params: Fields, place: { readonly project: string; readonly location: string }): ConvertedIdentity {
  const name = VERTEX_CREDENTIALS.find((each) => params.names.includes(each)) ?? VERTEX_CREDENTIALS[0];
  const text = params.peek(name)?.text?.trim();
  const isFile = text !== undefined && variableIn(text) === undefined && !text.startsWith("{");
  const file = isFile ? textsIn(params, { [name]: "credentials_file" }) : {};
  const secrets = isFile ? {} : secretsIn(params, { [name]: "credentials" });
  return checked({ kind: "google", fields: { ...place, ...file }, secrets });
}

/** The deployment's application at Azure, or the machine's identity if the deployment may use it. */
export function convertAzure(params: Fields, isOfMachine: boolean): ConvertedIdentity | undefined {
  const fields = textsIn(params, { tenant_id: "tenant_id", client_id: "client_id" });
  const secrets = secretsIn(params, { client_secret: "client_secret" });
  if (Object.keys({ ...fields, ...secrets }).length === 0) return isOfMachine ? { kind: "azure", fields: {}, secrets: {} } : undefined;
  if (Object.keys({ ...fields, ...secrets }).length === 3) return checked({ kind: "azure", fields, secrets });
  throw new UnsupportedError("it authenticates with Microsoft Entra ID, which needs tenant_id, client_id and client_secret");
}

/** A possible value of a field. */
export function sampleFor(field: string): string {
  return SAMPLES[field] ?? "sample";
}

function textsIn(params: Fields, names: Readonly<Record<string, string>>): Record<string, string> {
  const texts = Object.entries(names).flatMap(([name, field]): [string, string][] => {
    const node = params.take(name);
    if (!node) return [];
    if (node.text === undefined) throw new UnsupportedError(`its ${name} is not text`);
    const variable = variableIn(node.text);
    if (variable === undefined && isFilledIn(node.text))
      throw new UnsupportedError(`its ${name} contains \${…}, which Tollgate would expand`);
    return [[field, variable === undefined ? node.text : `\${${variable}}`]];
  });
  return Object.fromEntries(texts);
}

function secretsIn(params: Fields, names: Readonly<Record<string, string>>): Record<string, Credential> {
  const secrets = Object.entries(names).flatMap(([name, field]): [string, Credential][] => {
    const node = params.take(name);
    if (!node) return [];
    if (node.text === undefined || node.text === "") throw new UnsupportedError(`its ${name} is not text`);
    const variable = variableIn(node.text);
    return [[field, variable === undefined ? { secret: node.text, node } : { variable }]];
  });
  return Object.fromEntries(secrets);
}

function fail([kind, ...path]: Path, message: string): never {
  const names = LITELLM_NAMES[kind as Identity["kind"]];
  const inWords = message.replaceAll(new RegExp(`\\b${kind}\\.([a-z_]+)`, "g"), (_, field: string) => names.get(field) ?? field);
  throw new UnsupportedError(`its ${names.get(String(path[0])) ?? formatPath(path)} ${inWords}`);
}

/** Ensures that the config parser accepts it. */
function checked(identity: ConvertedIdentity): ConvertedIdentity {
  const { kind, fields, secrets } = identity;
  const sample = {
    ...Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, referenceIn(text) ? sampleFor(field) : text])),
    ...Object.fromEntries(Object.keys(secrets).map((field) => [field, sampleFor(field)])),
  };
  const violation = findViolation(identitySchemas[kind], sample);
  if (violation) fail([kind, ...violation.path], violation.message);
  toIdentity({ [kind]: sample }, fail);
  return identity;
}
