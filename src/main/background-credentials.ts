import { servedBy } from "../models/catalog.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { CatalogReader } from "../stores/catalog/catalog-store.ts";
import type { Authorizer, AuthorizerLookup } from "../upstreams/authorizer.ts";

const INTERVAL_MS = 2_000;

/**
 * Obtains the credentials of identities outside of requests: at the start, after a change, and while there are none. Otherwise an identity
 * that fails would be noticed only when its first request fails. A failure is recorded in the state of the identity, from which logs,
 * metrics, health and alerts read it.
 */
export class BackgroundCredentials {
  readonly #catalog: Pick<CatalogReader, "upstreams" | "snapshot">;
  readonly #identities: AuthorizerLookup;
  readonly #waiting = new Set<Authorizer>();
  #timer: Timer | undefined;

  constructor(catalog: Pick<CatalogReader, "upstreams" | "snapshot">, identities: AuthorizerLookup) {
    this.#catalog = catalog;
    this.#identities = identities;
  }

  start(): void {
    this.check();
    this.#timer = setInterval(() => this.check(), INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  check(): void {
    for (const upstream of this.#catalog.upstreams().values()) {
      const authorizer = upstream.dialect === "echo" ? undefined : this.#identities.authorizerOf(upstream);
      if (!authorizer || this.#waiting.has(authorizer) || isValid(authorizer) || !this.#isServing(upstream.id)) continue;
      this.#waiting.add(authorizer);
      void this.#obtain(authorizer, upstream as RemoteSettings).finally(() => this.#waiting.delete(authorizer));
    }
  }

  #isServing(id: string): boolean {
    return servedBy(id, this.#catalog.snapshot()).length > 0;
  }

  /** Obtains credentials like a request does: one attempt at a time for all callers, with a growing pause after failures. */
  async #obtain(authorizer: Authorizer, { baseUrl }: RemoteSettings): Promise<void> {
    const { host, pathname } = new URL(baseUrl);
    try {
      await authorizer.authorize({ method: "GET", host, target: pathname, headers: {}, body: undefined });
    } catch {
      // The failure is recorded in the state.
    }
  }
}

/** Valid credentials are refreshed by their own timer. */
function isValid({ state: { source, expiresAtMs } }: Authorizer): boolean {
  return source !== undefined && (expiresAtMs === undefined || expiresAtMs > Date.now());
}
