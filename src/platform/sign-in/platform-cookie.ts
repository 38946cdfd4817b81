import type { Secret } from "../../lib/secret/secret.ts";
import type { ReplyHeaders } from "../../http/endpoint.ts";
import type { IncomingRequest } from "../../lib/http1/server/incoming-request.ts";

/** The header of replies that set or clear a session, for the published description. */
export const COOKIE_HEADERS: ReplyHeaders = { "Set-Cookie": { type: "string", description: "The session, or its end." } };

/**
 * A cookie of the platform. No script can read it, and other sites' requests do not carry it, except for a plain visit (`Lax`:
 * the way back from an OpenID provider is one). Where there is TLS it is never sent without, and its name begins with `__Host-`,
 * for which browsers let no neighbouring name set it.
 */
export class PlatformCookie {
  readonly name: string;
  readonly #attributes: string;
  readonly #lifetimeSeconds: number;

  constructor(name: string, { isSecure, path, lifetimeMs }: { isSecure: boolean; path: string; lifetimeMs: number }) {
    this.name = isSecure ? `__Host-${name}` : name;
    // Browsers take the prefix on cookies for the whole site alone.
    this.#attributes = `${isSecure ? "Secure; Path=/" : `Path=${path}`}; HttpOnly; SameSite=Lax; Max-Age=`;
    this.#lifetimeSeconds = lifetimeMs / 1000;
  }

  read({ headers }: Pick<IncomingRequest, "headers">): string | undefined {
    return new Bun.CookieMap(headers.get("cookie") ?? "").get(this.name) ?? undefined;
  }

  /** The header that sets it. */
  set(value: Secret): string {
    return `${this.name}=${value.reveal()}; ${this.#attributes}${this.#lifetimeSeconds}`;
  }

  /** The header that removes it. */
  clear(): string {
    return `${this.name}=; ${this.#attributes}0`;
  }
}
