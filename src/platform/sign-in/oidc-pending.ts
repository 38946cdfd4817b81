/**
 * The state of a sign-in at the provider, stored in a cookie so that only the browser that started a sign-in can complete it. The cookie
 * must be `HttpOnly` and `SameSite=Lax` (`Strict` is not sent on the redirect from the provider). With TLS it must be named `__Host-…`:
 * otherwise a neighbouring subdomain can plant its own cookie and sign a person in as somebody else.
 */
export interface OidcPending {
  /** Returned in the URL: binds the response to this browser (RFC 9700 §4.7). */
  readonly state: string;
  /** Returned in the ID token: binds the token to this sign-in (OpenID Connect Core §15.5.2). */
  readonly nonce: string;
  /** The PKCE code verifier, required with the code (RFC 7636). */
  readonly codeVerifier: string;
  readonly startedAtMs: number;
}

/** Enough time for a password and a second factor; also the lifetime of the cookie. */
export const PENDING_FOR_SECONDS = 10 * 60;

/** Three random parts in the library's format, and a time. */
const COOKIE_VALUE = /^([\w-]{43})\.([\w-]{43})\.([\w-]{43})\.(\d{1,15})$/;

export function hasExpired(pending: OidcPending): boolean {
  return Date.now() - pending.startedAtMs > PENDING_FOR_SECONDS * 1000;
}

/** The cookie's value: letters, digits, `-`, `_` and dots, which need no quoting. */
export function formatPending(pending: OidcPending): string {
  return [pending.state, pending.nonce, pending.codeVerifier, pending.startedAtMs].join(".");
}

/** Parses the output of `formatPending`; undefined for any other text, because a cookie can contain arbitrary text. */
export function parsePending(cookieValue: string): OidcPending | undefined {
  const [, state, nonce, codeVerifier, startedAtMs] = COOKIE_VALUE.exec(cookieValue) ?? [];
  if (state === undefined || nonce === undefined || codeVerifier === undefined) return undefined;
  return { state, nonce, codeVerifier, startedAtMs: Number(startedAtMs) };
}
