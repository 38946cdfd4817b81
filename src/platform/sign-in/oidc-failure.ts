import { ApiError } from "../../requests/api-error.ts";
import type { Secret } from "../../lib/secret/secret.ts";

const MAX_DETAIL_LENGTH = 500;

/** The library's codes for failures that the provider or the operator is responsible for, independent of the person who signs in. */
const UNUSABLE = new Set([
  "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_REQUEST_PROTOCOL_FORBIDDEN",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_INVALID_SERVER_METADATA",
]);

/** HTTP Basic credentials, RFC 6749 §2.3.1: base64 that contains Tollgate's client secret. */
const BASIC_CREDENTIALS = /\bBasic\s+[\w+/=-]+/gi;

/** RFC 6749 §5.2: errors about Tollgate's own client ID and secret. */
const OUR_CREDENTIAL_REFUSED = new Set(["invalid_client", "unauthorized_client"]);

export function providerUnreachable(detail: string): ApiError {
  return new ApiError("no_upstream_available", "The sign-in provider cannot be reached. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
  });
}

/** The error for an unusable provider. It is not a 401, because the person who signs in cannot fix it. */
export function explainMisfit(thrown: unknown, secret: Secret | undefined): ApiError {
  const causes = causesOf(thrown);
  const message = "The sign-in provider and this gateway are not compatible. Please notify the operator.";
  const known = causes.find((cause) => cause instanceof ApiError);
  return known ?? new ApiError("upstream_error", message, { detail: describe(causes, secret) });
}

/** The error for a failed sign-in. The messages of the library and the provider are only in the log. */
export function explainFailure(thrown: unknown, secret: Secret | undefined): ApiError {
  const causes = causesOf(thrown);
  if (causes.some(isMisfit)) return explainMisfit(thrown, secret);
  const isRefusal = causes.some((cause) => textIn(cause, "code") === "OAUTH_AUTHORIZATION_RESPONSE_ERROR");
  const message = isRefusal ? "The sign-in provider rejected the sign-in." : "The sign-in failed. Please start again.";
  return new ApiError("sign_in_failed", message, { detail: describe(causes, secret) });
}

function isMisfit(cause: Error): boolean {
  if (cause instanceof ApiError) return true;
  return UNUSABLE.has(textIn(cause, "code")) || OUR_CREDENTIAL_REFUSED.has(textIn(cause, "error"));
}

/** The error and its causes. The library also attaches responses to its errors; they contain tokens and are omitted. */
function causesOf(thrown: unknown): Error[] {
  return thrown instanceof Error ? [thrown, ...causesOf(thrown.cause)] : [];
}

/** The provider has received Tollgate's client secret, and may echo it. */
function describe(causes: readonly Error[], secret: Secret | undefined): string {
  const said = causes.flatMap((cause) => [cause, ...challengesOf(cause)]);
  const words = said.flatMap((cause) => [textIn(cause, "message"), textIn(cause, "error"), textIn(cause, "error_description")]);
  const text = words.filter((word) => word !== "").join(": ");
  return (secret?.redactFrom(text) ?? text).replaceAll(BASIC_CREDENTIALS, "Basic [secret]").slice(0, MAX_DETAIL_LENGTH);
}

/** If the provider sends `invalid_client` in a header, RFC 6749 §5.2, the library attaches the parsed header to its error. */
function challengesOf(error: Error): object[] {
  const challenges = Array.isArray(error.cause) ? (error.cause as { readonly parameters: object }[]) : [];
  return challenges.map((challenge) => challenge.parameters);
}

function textIn(said: object, property: "code" | "message" | "error" | "error_description"): string {
  const value = (said as { readonly [name in typeof property]?: unknown })[property];
  return typeof value === "string" ? value : "";
}
