import { keepEqual } from "../../lib/collections/keep-equal.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson } from "../../lib/ipc/tagged-json.ts";
import { reuseModelIfEqual } from "../../models/headers/route-headers.ts";
import { reuseUpstreamIfEqual, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import type { CatalogStore, DeclaredCatalog } from "../catalog/catalog-store.ts";
import { DECLARATIONS, type InForceAtOwner } from "./declaration-messages.ts";

/** How long to wait before retrying a declaration that could not be written. */
const RETRY_MS = 500;

export interface OwnerDeclarationOptions {
  readonly catalog: Pick<CatalogStore, "declared" | "declare">;
  readonly reportFailure: (thrown: unknown) => void;
  readonly retryMs?: number;
}

/**
 * Declares in the catalog of a gateway process the declarations that its owner has read from the environment. Models and upstreams that did
 * not change under the next owner stay the same objects: connections and circuit breakers belong to them.
 */
export class OwnerDeclarations implements ProcessService {
  readonly name = DECLARATIONS;
  readonly #options: OwnerDeclarationOptions;
  readonly #ready = Promise.withResolvers<void>();
  #inForce: InForceAtOwner | undefined;
  #isDeclaring = false;
  #isClosed = false;

  constructor(options: OwnerDeclarationOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when the environment is declared, and rejects if that is impossible. No request may be served before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The file that the owner served when this process connected. Available once `ready`. */
  get file(): DeclaredCatalog {
    return this.#inForce!.file;
  }

  connected(initial: unknown): void {
    this.#inForce = fromTaggedJson(initial) as InForceAtOwner;
    if (!this.#isDeclaring) void this.#declareLast();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #declareLast(): Promise<void> {
    this.#isDeclaring = true;
    for (let declared: InForceAtOwner | undefined; declared !== this.#inForce && !this.#isClosed;) {
      const next = this.#inForce!;
      if (await this.#declare(next.environment)) declared = next;
      else await Bun.sleep(this.#options.retryMs ?? RETRY_MS);
    }
    this.#isDeclaring = false;
    this.#ready.resolve();
  }

  /** Returns false if the declaration must be retried. */
  async #declare(next: DeclaredCatalog): Promise<boolean> {
    const { catalog, reportFailure } = this.#options;
    const before = catalog.declared("environment");
    const ofBefore = byId(before.upstreams);
    const upstreams = keepEqual(ofBefore, byId(next.upstreams), reuseUpstreamIfEqual);
    const models = keepEqual(before.catalog, next.catalog, reuseModelIfEqual);
    if (upstreams === ofBefore && models === before.catalog) return true;
    const declared: DeclaredCatalog = { upstreams: [...upstreams.values()], catalog: models };
    try {
      await catalog.declare("environment", () => ({ declared, announcements: [] }));
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable) return false;
      reportFailure(error);
      this.#ready.reject(error);
      return true;
    }
  }
}

function byId(upstreams: readonly UpstreamSettings[]): ReadonlyMap<string, UpstreamSettings> {
  return new Map(upstreams.map((upstream) => [upstream.id, upstream]));
}
