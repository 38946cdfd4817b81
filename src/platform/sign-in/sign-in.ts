import { basePathOf } from "../../lib/net/public-address.ts";
import { LIFETIME_MS } from "../../access/session.ts";
import { FirstLink } from "./setup-link.ts";
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

/** `publicUrl` where people reach the platform, if that is known. */
export function prepareSignIn(publicUrl: URL | undefined, oidc: OidcSignIn | undefined): SignIn {
  const isSecure = publicUrl?.protocol === "https:";
  const basePath = publicUrl ? basePathOf(publicUrl) : "";
  // Two gateways may share a name, under a path each: with one cookie between them, each would sign people out of the other.
  const ending = basePath.replaceAll("/", ".");
  return {
    passwords: new Passwords(),
    throttle: new SignInThrottle(),
    firstLink: new FirstLink(),
    sessionCookie: new PlatformCookie(`${isSecure ? "tollgate" : "tollgate_session"}${ending}`, {
      isSecure,
      path: "/",
      lifetimeMs: LIFETIME_MS,
    }),
    pendingCookie: new PlatformCookie(`${isSecure ? "tollgate-oidc" : "tollgate_oidc"}${ending}`, {
      isSecure,
      path: `${basePath}/api/sign-in/oidc`,
      lifetimeMs: PENDING_FOR_SECONDS * 1000,
    }),
    oidc,
  };
}
