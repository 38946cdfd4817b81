import type { IDToken, UserInfoResponse } from "openid-client";
import { emailSchema } from "../../access/email-schema.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { findViolation, type Schema } from "../../lib/schema/schema.ts";

/** What an OpenID provider has vouched for. Issuer and subject together name the person, for good; the rest can change. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** Without this, anybody may have typed in the address: it must not connect the person to anything. */
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

/** OpenID Connect Core §2. */
const MAX_SUBJECT_LENGTH = 255;

/**
 * Whom an ID token names. `profile` is what the e-mail address and the name are read from, the token or the UserInfo answer:
 * one of them, never both, so that an address is not taken for verified on the strength of another one.
 */
export function toIdentity(token: IDToken, profile: IDToken | UserInfoResponse): OidcIdentity {
  if (token.sub.length > MAX_SUBJECT_LENGTH) {
    throw new GatewayError("sign_in_failed", "Signing in failed.", { detail: `the subject has ${token.sub.length} characters` });
  }
  const email = readText(profile["email"], emailSchema);
  return {
    issuer: token.iss,
    subject: token.sub,
    email,
    emailVerified: email !== undefined && isTrue(profile["email_verified"]),
    name: readText(profile["name"], nameSchema),
  };
}

/** People choose these at their provider: what could move a terminal's cursor or fill a table counts as not given. */
function readText(claim: unknown, schema: Schema): string | undefined {
  return typeof claim === "string" && !findViolation(schema, claim) ? claim : undefined;
}

/** Apple and Amazon Cognito send the word where the standard has the value. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === "true";
}
