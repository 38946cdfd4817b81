import { Secret } from "../../lib/secret/secret.ts";
import { tryParseObject } from "../../lib/json/try-parse.ts";

/**
 * The gateway's identity at a cloud: instead of a static credential, it obtains credentials that expire. An identity without its own secret
 * is the machine's: environment variables, files and the cloud's metadata service, in the order of the cloud's own libraries.
 */
export type Identity = AwsIdentity | GoogleIdentity | AzureIdentity;

export interface AwsIdentity {
  readonly kind: "aws";
  readonly region: string;
  readonly keys: AwsKeyPair | undefined;
  /** A profile of the shared config files. Undefined means `AWS_PROFILE`, or `default`. */
  readonly profile: string | undefined;
  /** A role to assume with the credentials that were obtained. */
  readonly role: AwsRole | undefined;
}

interface AwsKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** The token of temporary credentials, which cannot be refreshed. */
  readonly sessionToken: Secret | undefined;
}

export interface AwsRole {
  readonly arn: string;
  readonly externalId: Secret | undefined;
  readonly sessionName: string | undefined;
}

export interface GoogleIdentity {
  readonly kind: "google";
  /** The JSON of a service account's key file, or of a configuration of workload identity federation. */
  readonly credentials: Secret | undefined;
  /** The same JSON in a file of this machine. */
  readonly credentialsFile: string | undefined;
  readonly project: string | undefined;
  readonly location: string | undefined;
}

export interface AzureIdentity {
  readonly kind: "azure";
  readonly tenantId: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  /** A certificate and its private key, as PEM. */
  readonly certificate: Secret | undefined;
  readonly cloud: AzureCloud;
}

/** The sovereign clouds have their own sign-in and resource hosts. */
export const AZURE_CLOUDS = ["public", "usgovernment", "china"] as const;
export type AzureCloud = (typeof AZURE_CLOUDS)[number];

/** The type of a Google credentials file; undefined if the text is not one. */
export function typeOfCredentials(text: string): string | undefined {
  const type = tryParseObject(text)?.["type"];
  return typeof type === "string" ? type : undefined;
}

/**
 * The missing parts of a service account's JSON key, as a clause; undefined if the key is complete, or if the text is not a service
 * account's key.
 */
export function problemOfServiceAccount(text: string): string | undefined {
  const file = tryParseObject(text);
  if (file?.["type"] !== "service_account") return undefined;
  const missing = ["client_email", "private_key"].find((field) => typeof file[field] !== "string" || file[field] === "");
  return missing && `has no ${missing}: it must be the whole JSON key of a service account`;
}

/**
 * Whether it is the machine's identity. This includes workload identity federation, whose proof is in a file of the machine or at an
 * address that the machine can reach. Only the operator of the machine may assign it to an upstream.
 */
export function isOfMachine(identity: Identity): boolean {
  switch (identity.kind) {
    case "aws":
      return identity.keys === undefined;
    case "google":
      return identity.credentials === undefined || typeOfCredentials(identity.credentials.reveal()) !== "service_account";
    case "azure":
      return identity.clientSecret === undefined && identity.certificate === undefined;
  }
}

/** Needed because generic comparisons consider any two secrets equal. */
export function isSameIdentity(one: Identity | undefined, other: Identity | undefined): boolean {
  return revealIdentity(one) === revealIdentity(other);
}

/** The secrets of an identity, by the fields in which they are declared. */
export function secretsOf(identity: Identity): Readonly<Record<string, Secret>> {
  const all: Record<string, Secret | undefined> =
    identity.kind === "aws"
      ? {
          secret_access_key: identity.keys?.secretAccessKey,
          session_token: identity.keys?.sessionToken,
          external_id: identity.role?.externalId,
        }
      : identity.kind === "google"
        ? { credentials: identity.credentials }
        : { client_secret: identity.clientSecret, certificate: identity.certificate };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, Secret] => entry[1] !== undefined));
}

/** An identity as text, with its secrets in plaintext, for comparisons and digests. */
export function revealIdentity(identity: Identity | undefined): string {
  if (identity === undefined) return "";
  const secrets = Object.entries(secretsOf(identity)).map(([field, secret]) => [field, secret.reveal()]);
  return JSON.stringify([identity, secrets]);
}
