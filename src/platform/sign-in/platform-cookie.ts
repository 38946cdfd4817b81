import type { Secret } from "../../lib/secret/secret.ts";
import type { ReplyHeaders } from "../../http/endpoint.ts";
import type { IncomingRequest } from "../../lib/http1/server/incoming-request.ts";

/** The header of replies that set or clear a session, for the OpenAPI document. */
export const COOKIE_HEADERS: ReplyHeaders = { "Set-Cookie": { type: "string", description: "The session, or its end." } };

/**
 * A cookie of the platform. No script can read it, and cross-site requests do not send it, except a plain navigation (`Lax`), such as the
 * redirect from an OpenID provider. With TLS, it is never sent over an unencrypted connection, and its name starts with `__Host-`, so that
 * no neighbouring host can set it.
 */
export class PlatformCookie {
  readonly name: string;
  readonly #attributes: string;
  readonly #lifetimeSeconds: number;

  constructor(name: string, { isSecure, path, lifetimeMs }: { isSecure: boolean; path: string; lifetimeMs: number }) {
    this.name = isSecure ? `__Host-${name}` : name;
    // Browsers accept the prefix only on cookies with Path=/.
    this.#attributes = `${isSecure ? "Secure; Path=/" : `Path=${path}`}; HttpOnly; SameSite=Lax; Max-Age=`;
    this.#lifetimeSeconds = lifetimeMs / 1000;
  }

  read({ headers }: Pick<IncomingRequest, "headers">): string | undefined {
    return new Bun.CookieMap(headers.get("cookie") ?? "").get(this.name) ?? undefined;
  }

  /** The `Set-Cookie` header that sets it. */
  set(value: Secret): string {
    return `${this.name}=${value.reveal()}; ${this.#attributes}${this.#lifetimeSeconds}`;
  }

  /** The `Set-Cookie` header that removes it. */
  clear(): string {
    return `${this.name}=; ${this.#attributes}0`;
  }
}
