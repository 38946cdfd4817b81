/**
 * What a browser keeps between its leaving for the provider and its coming back, so that only the browser that began a sign-in
 * can end it. The cookie must be `HttpOnly`, `SameSite=Lax` (`Strict` is not sent on the way back from the provider) and, where
 * there is TLS, named `__Host-…`: otherwise a neighbouring subdomain can plant its own and sign somebody in as somebody else.
 */
export interface OidcPending {
  /** Comes back in the address: ties the answer to this browser (RFC 9700 §4.7). */
  readonly state: string;
  /** Comes back inside the ID token: ties the token to this sign-in (OpenID Connect Core §15.5.2). */
  readonly nonce: string;
  /** Whoever has the code needs this too (RFC 7636). */
  readonly codeVerifier: string;
  readonly startedAtMs: number;
}

/** Enough to find a password and a second factor; also the lifetime to give the cookie. */
export const PENDING_FOR_SECONDS = 10 * 60;

/** Three random parts, as the library makes them, and a time. */
const COOKIE_VALUE = /^([\w-]{43})\.([\w-]{43})\.([\w-]{43})\.(\d{1,15})$/;

export function hasExpired(pending: OidcPending): boolean {
  return Date.now() - pending.startedAtMs > PENDING_FOR_SECONDS * 1000;
}

/** The cookie's value: letters, digits, `-`, `_` and dots, which need no quoting. */
export function formatPending(pending: OidcPending): string {
  return [pending.state, pending.nonce, pending.codeVerifier, pending.startedAtMs].join(".");
}

/** What `formatPending` wrote; undefined for anything else, since a cookie can hold whatever its browser likes. */
export function parsePending(cookieValue: string): OidcPending | undefined {
  const [, state, nonce, codeVerifier, startedAtMs] = COOKIE_VALUE.exec(cookieValue) ?? [];
  if (state === undefined || nonce === undefined || codeVerifier === undefined) return undefined;
  return { state, nonce, codeVerifier, startedAtMs: Number(startedAtMs) };
}
