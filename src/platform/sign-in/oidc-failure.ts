import { GatewayError } from "../../vocabulary/gateway-error.ts";

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

/** RFC 6749 §5.2: these are about our own id and secret. */
const OUR_CREDENTIAL_REFUSED = new Set(["invalid_client", "unauthorized_client"]);

export function providerUnreachable(detail: string): GatewayError {
  return new GatewayError("no_upstream_available", "The sign-in provider cannot be reached. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail: shorten(detail),
  });
}

/** What to throw where the provider itself cannot be used. Not a 401: whoever signs in can do nothing about it. */
export function explainMisfit(thrown: unknown): GatewayError {
  const causes = causesOf(thrown);
  return causes.find((cause) => cause instanceof GatewayError) ?? misfit(causes);
}

/** What to throw for what the library has thrown of one sign-in. Its words, and the provider's, stay in the log. */
export function explainFailure(thrown: unknown): GatewayError {
  const causes = causesOf(thrown);
  if (causes.some(isMisfit)) return explainMisfit(thrown);
  const isRefusal = causes.some((cause) => textIn(cause, "code") === "OAUTH_AUTHORIZATION_RESPONSE_ERROR");
  const message = isRefusal ? "The sign-in provider did not sign you in." : "Signing in failed. Please start again.";
  return new GatewayError("sign_in_failed", message, { detail: describe(causes) });
}

function isMisfit(cause: Error): boolean {
  if (cause instanceof GatewayError) return true;
  return UNUSABLE.has(textIn(cause, "code")) || OUR_CREDENTIAL_REFUSED.has(textIn(cause, "error"));
}

function misfit(causes: readonly Error[]): GatewayError {
  const message = "The sign-in provider and this gateway do not understand each other. Please tell the operator.";
  return new GatewayError("upstream_error", message, { detail: describe(causes) });
}

/** The error and what it was wrapped around. The library hangs answers on its errors too; they hold tokens and are left out. */
function causesOf(thrown: unknown): Error[] {
  return thrown instanceof Error ? [thrown, ...causesOf(thrown.cause)] : [];
}

function describe(causes: readonly Error[]): string {
  const words = causes.flatMap((cause) => [cause.message, textIn(cause, "error"), textIn(cause, "error_description")]);
  return shorten(words.filter((text) => text !== "").join(": "));
}

function textIn(error: Error, property: "code" | "error" | "error_description"): string {
  const value = (error as { readonly [name in typeof property]?: unknown })[property];
  return typeof value === "string" ? value : "";
}

function shorten(detail: string): string {
  return detail.slice(0, MAX_DETAIL_LENGTH);
}
