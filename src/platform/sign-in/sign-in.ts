import { basePathOf } from "../../lib/net/public-address.ts";
import { LIFETIME_MS } from "../../access/session.ts";
import type { OidcSignIn } from "./oidc.ts";
import { PENDING_FOR_SECONDS } from "./oidc-pending.ts";
import { Passwords } from "./passwords.ts";
import { PlatformCookie } from "./platform-cookie.ts";
import { SignInThrottle } from "./throttle.ts";
import { makeLink, type OneTimeLink } from "../../access/one-time-link.ts";
import { hashToken } from "../../lib/secret/random-token.ts";
import type { Secret } from "../../lib/secret/secret.ts";

/** The state of signing in that is not in the stores. */
export interface SignIn {
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly setupLink: SetupLink;
  /** The session cookie. */
  readonly sessionCookie: PlatformCookie;
  /** The cookie during a sign-in at the OpenID provider. */
  readonly pendingCookie: PlatformCookie;
  /** Undefined if no provider is configured. */
  readonly oidc: OidcSignIn | undefined;
}

/** `publicUrl` is the platform's public URL, if it is known; `hasTls` says whether its listener has TLS. */
export function prepareSignIn(publicUrl: URL | undefined, oidc: OidcSignIn | undefined, hasTls = false): SignIn {
  const isSecure = hasTls || publicUrl?.protocol === "https:";
  const basePath = publicUrl ? basePathOf(publicUrl) : "";
  // Two gateways may share a host under different paths: with a common cookie name, each would sign people out of the other.
  const ending = basePath.replaceAll("/", ".");
  return {
    passwords: new Passwords(),
    throttle: new SignInThrottle(),
    setupLink: new SetupLink(),
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

const SETUP_LINK_MS = 60 * 60 * 1000;

/**
 * The setup link for the first operator, whom nobody can invite. It is printed where the process was started, and kept only in memory. Its
 * lifetime is measured by a monotonic clock.
 */
class SetupLink {
  #link: OneTimeLink | undefined;

  /** Creates the link, replacing an earlier one. */
  make(nowMs: number): Secret {
    const { token, link } = makeLink(SETUP_LINK_MS, nowMs);
    this.#link = link;
    return token;
  }

  opensWith(token: string, nowMs: number): boolean {
    return this.#link !== undefined && this.#link.hash === hashToken(token) && nowMs < this.#link.expiresAtMs;
  }

  /** Uses the link up. If the following step fails, the returned function restores it. */
  take(): () => void {
    const taken = this.#link;
    this.#link = undefined;
    return () => (this.#link = taken);
  }
}
