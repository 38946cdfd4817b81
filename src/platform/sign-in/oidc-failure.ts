import { GatewayError } from "../../requests/gateway-error.ts";
import type { Secret } from "../../lib/secret/secret.ts";

const MAX_DETAIL_LENGTH = 500;

/** The library's codes for answers that are the provider's fault or the operator's, whoever signs in. */
const UNUSABLE = new Set([
  "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_REQUEST_PROTOCOL_FORBIDDEN",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_INVALID_SERVER_METADATA",
]);

/** Our id and secret as they are sent, RFC 6749 §2.3.1: the secret in it cannot be seen, and is there all the same. */
const BASIC_CREDENTIALS = /\bBasic\s+[\w+/=-]+/gi;

/** RFC 6749 §5.2: these are about our own id and secret. */
const OUR_CREDENTIAL_REFUSED = new Set(["invalid_client", "unauthorized_client"]);

export function providerUnreachable(detail: string): GatewayError {
  return new GatewayError("no_upstream_available", "The sign-in provider cannot be reached. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
  });
}

/** What to throw where the provider itself cannot be used. Not a 401: whoever signs in can do nothing about it. */
export function explainMisfit(thrown: unknown, secret: Secret | undefined): GatewayError {
  const causes = causesOf(thrown);
  const message = "The sign-in provider and this gateway do not understand each other. Please tell the operator.";
  const known = causes.find((cause) => cause instanceof GatewayError);
  return known ?? new GatewayError("upstream_error", message, { detail: describe(causes, secret) });
}

/** What to throw for what the library has thrown of one sign-in. Its words, and the provider's, stay in the log. */
export function explainFailure(thrown: unknown, secret: Secret | undefined): GatewayError {
  const causes = causesOf(thrown);
  if (causes.some(isMisfit)) return explainMisfit(thrown, secret);
  const isRefusal = causes.some((cause) => textIn(cause, "code") === "OAUTH_AUTHORIZATION_RESPONSE_ERROR");
  const message = isRefusal ? "The sign-in provider did not sign you in." : "Signing in failed. Please start again.";
  return new GatewayError("sign_in_failed", message, { detail: describe(causes, secret) });
}

function isMisfit(cause: Error): boolean {
  if (cause instanceof GatewayError) return true;
  return UNUSABLE.has(textIn(cause, "code")) || OUR_CREDENTIAL_REFUSED.has(textIn(cause, "error"));
}

/** The error and what it was wrapped around. The library hangs answers on its errors too; they hold tokens and are left out. */
function causesOf(thrown: unknown): Error[] {
  return thrown instanceof Error ? [thrown, ...causesOf(thrown.cause)] : [];
}

/** The provider has seen our secret, and may say it back. */
function describe(causes: readonly Error[], secret: Secret | undefined): string {
  const said = causes.flatMap((cause) => [cause, ...challengesOf(cause)]);
  const words = said.flatMap((cause) => [textIn(cause, "message"), textIn(cause, "error"), textIn(cause, "error_description")]);
  const text = words.filter((word) => word !== "").join(": ");
  return (secret?.redactFrom(text) ?? text).replaceAll(BASIC_CREDENTIALS, "Basic [secret]").slice(0, MAX_DETAIL_LENGTH);
}

/** Where the provider says `invalid_client` in a header, RFC 6749 §5.2, the library hangs what it has read there on its error. */
function challengesOf(error: Error): object[] {
  const challenges = Array.isArray(error.cause) ? (error.cause as { readonly parameters: object }[]) : [];
  return challenges.map((challenge) => challenge.parameters);
}

function textIn(said: object, property: "code" | "message" | "error" | "error_description"): string {
  const value = (said as { readonly [name in typeof property]?: unknown })[property];
  return typeof value === "string" ? value : "";
}
