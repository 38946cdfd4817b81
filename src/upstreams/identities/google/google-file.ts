import { isObject } from "../../../lib/schema/schema.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { IdentityFailure } from "../credential-source.ts";
import { requireGoogleUrl } from "./google-endpoints.ts";
import { tryParseObject } from "../../../lib/json/try-parse.ts";

/** The key of a service account. */
export interface ServiceAccountKey {
  readonly type: "service_account";
  readonly email: string;
  readonly privateKey: Secret;
}

/** A configuration of workload identity federation: https://google.aip.dev/auth/4117 */
export interface Federation {
  readonly type: "external_account";
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: string;
  /** The service account whose access token is requested with the exchanged token. */
  readonly impersonationUrl: string | undefined;
  readonly impersonationSeconds: number;
  readonly workforceProject: string | undefined;
  readonly client: { readonly id: string; readonly secret: Secret } | undefined;
  readonly source: Readonly<Record<string, unknown>>;
}

type Json = Readonly<Record<string, unknown>>;

/** Why each of these kinds of files is rejected. */
const REFUSED: Readonly<Record<string, string>> = {
  authorized_user: "has the sign-in of a person, made by gcloud auth application-default login. Use the key of a service account",
  external_account_authorized_user: "has the sign-in of a person. Use workload identity federation for a workload",
  impersonated_service_account: "impersonates a service account with other credentials. Use the key of that service account",
  gdch_service_account: "is for Google Distributed Cloud, which is not supported",
};

const DEFAULT_TOKEN_SECONDS = 3_600;

/** Reads the text of a credentials file. Error messages contain no part of the text. */
export function readGoogleFile(text: string, name: string): ServiceAccountKey | Federation {
  const file = tryParseObject(text);
  if (!file) throw wrong(`${name} is not JSON`);
  const { type, universe_domain: universe = "googleapis.com" } = file;
  // Other domains are rejected: the domain comes from the same file as the URLs that it would permit.
  if (universe !== "googleapis.com") throw wrong(`${name} is for a different universe than googleapis.com, which is not supported`);
  if (type === "service_account") return toKey(file, name);
  if (type === "external_account") return toFederation(file, name);
  const reason = typeof type === "string" && Object.hasOwn(REFUSED, type) ? REFUSED[type] : undefined;
  throw wrong(`${name} ${reason ?? "has neither the type service_account nor external_account"}`);
}

function toKey(file: Json, name: string): ServiceAccountKey {
  if (file["token_uri"] !== undefined) requireGoogleUrl(file["token_uri"], "token_uri");
  return { type: "service_account", email: textOf(file, "client_email", name), privateKey: new Secret(textOf(file, "private_key", name)) };
}

function toFederation(file: Json, name: string): Federation {
  const { credential_source: source, service_account_impersonation_url: impersonation, service_account_impersonation: settings } = file;
  const { client_id: clientId, client_secret: clientSecret = "", workforce_pool_user_project: project } = file;
  if (!isObject(source)) throw wrong(`${name} has no credential_source`);
  const seconds = isObject(settings) ? settings["token_lifetime_seconds"] : undefined;
  return {
    type: "external_account",
    audience: textOf(file, "audience", name),
    subjectTokenType: textOf(file, "subject_token_type", name),
    tokenUrl: requireGoogleUrl(file["token_url"] ?? "https://sts.googleapis.com/v1/token", "token_url"),
    impersonationUrl: impersonation === undefined ? undefined : requireGoogleUrl(impersonation, "service_account_impersonation_url"),
    impersonationSeconds: typeof seconds === "number" && seconds > 0 ? seconds : DEFAULT_TOKEN_SECONDS,
    workforceProject: typeof project === "string" ? project : undefined,
    client: typeof clientId === "string" ? { id: clientId, secret: new Secret(String(clientSecret)) } : undefined,
    source,
  };
}

function textOf(file: Json, field: string, name: string): string {
  const value = file[field];
  if (typeof value !== "string" || value === "") throw wrong(`${name} has no ${field}`);
  return value;
}

function wrong(message: string): IdentityFailure {
  return new IdentityFailure("missing", message);
}
