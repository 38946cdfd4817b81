import type { IDToken, UserInfoResponse } from "openid-client";
import { emailSchema } from "../../access/email-schema.ts";
import { ApiError } from "../../requests/api-error.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { findViolation, type Schema } from "../../lib/schema/schema.ts";

/** An identity asserted by an OpenID provider. Issuer and subject together identify the person permanently; the other fields can change. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** If false, anybody may have entered the address, and it must not link the person to anything. */
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

/** OpenID Connect Core §2. */
const MAX_SUBJECT_LENGTH = 255;

/**
 * The identity of an ID token. The email address and the name are read from `profile`, which is either the token or the UserInfo response.
 * The two are never mixed: otherwise an address could count as verified because another one is.
 */
export function toIdentity(token: IDToken, profile: IDToken | UserInfoResponse): OidcIdentity {
  if (token.sub.length > MAX_SUBJECT_LENGTH) {
    throw new ApiError("sign_in_failed", "The sign-in failed.", { detail: `the subject has ${token.sub.length} characters` });
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

/** People choose these values at their provider: values with control characters or excessive lengths count as missing. */
function readText(claim: unknown, schema: Schema): string | undefined {
  return typeof claim === "string" && !findViolation(schema, claim) ? claim : undefined;
}

/** Apple and Amazon Cognito send a string instead of the boolean. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === "true";
}
