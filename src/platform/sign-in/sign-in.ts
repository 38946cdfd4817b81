import { LIFETIME_MS } from "../../vocabulary/session.ts";
import { FirstLink } from "./first-link.ts";
import type { OidcSignIn } from "./oidc.ts";
import { PENDING_FOR_SECONDS } from "./oidc-pending.ts";
import { Passwords } from "./passwords.ts";
import { PlatformCookie } from "./platform-cookie.ts";
import { SignInThrottle } from "./throttle.ts";

/** All that signing in takes beside the stores. */
export interface SignIn {
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly firstLink: FirstLink;
  /** What a browser is signed in with. */
  readonly sessionCookie: PlatformCookie;
  /** What a browser keeps while it is at the OpenID provider. */
  readonly pendingCookie: PlatformCookie;
  /** Undefined where no provider is set up. */
  readonly oidc: OidcSignIn | undefined;
}

/** `isSecure` where people reach the platform by TLS. */
export function prepareSignIn(isSecure: boolean, oidc: OidcSignIn | undefined): SignIn {
  return {
    passwords: new Passwords(),
    throttle: new SignInThrottle(),
    firstLink: new FirstLink(),
    sessionCookie: new PlatformCookie(isSecure ? "tollgate" : "tollgate_session", { isSecure, path: "/", lifetimeMs: LIFETIME_MS }),
    pendingCookie: new PlatformCookie(isSecure ? "tollgate-oidc" : "tollgate_oidc", {
      isSecure,
      path: "/api/sign-in/oidc",
      lifetimeMs: PENDING_FOR_SECONDS * 1000,
    }),
    oidc,
  };
}
