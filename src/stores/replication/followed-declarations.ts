import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson } from "../../lib/ipc/tagged-json.ts";
import { isSameUpstream, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import type { CatalogStore, Declared } from "../catalog/catalog-store.ts";
import { DECLARATIONS, DECLARED, ORIGINS, type Declarations } from "./declaration-messages.ts";
import { isSameModel, keepEqual } from "./replica-catalog.ts";

/** How long a declaration waits that the database could not take. */
const RETRY_MS = 500;

export interface FollowOptions {
  readonly catalog: Pick<CatalogStore, "declared" | "declare">;
  readonly reportFailure: (thrown: unknown) => void;
  readonly retryMs?: number;
}

/**
 * Declares in the catalog of a gateway process what the owner process has read from the config file and the environment. Models and upstreams that
 * did not change stay the same objects: connections and circuit breakers belong to them. While the owner is away, they stay in force.
 */
export class FollowedDeclarations implements ProcessService {
  readonly name = DECLARATIONS;
  readonly notices = { [DECLARED]: (encoded: unknown): void => this.#follow(encoded) };
  readonly #options: FollowOptions;
  readonly #ready = Promise.withResolvers<void>();
  /** The last declarations that were received; undefined when they are in force. */
  #wanted: Declarations | undefined;
  #isDeclaring = false;
  #isClosed = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when the first declarations are in force, and rejects where they cannot be. No request may be served before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  connected(initial: unknown): void {
    this.#follow(initial);
  }

  close(): void {
    this.#isClosed = true;
  }

  #follow(encoded: unknown): void {
    this.#wanted = fromTaggedJson(encoded) as Declarations;
    if (!this.#isDeclaring) void this.#declareAll();
  }

  async #declareAll(): Promise<void> {
    this.#isDeclaring = true;
    while (this.#wanted && !this.#isClosed) {
      const wanted = this.#wanted;
      const isDone = await this.#declare(wanted);
      if (!isDone) await Bun.sleep(this.#options.retryMs ?? RETRY_MS);
      else if (wanted === this.#wanted) this.#wanted = undefined;
    }
    this.#isDeclaring = false;
    this.#ready.resolve();
  }

  /** False where it has to be tried again. */
  async #declare(wanted: Declarations): Promise<boolean> {
    try {
      for (const origin of ORIGINS) await this.#declareOrigin(origin, wanted[origin]);
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable) return false;
      this.#options.reportFailure(error);
      this.#ready.reject(error);
      return true;
    }
  }

  async #declareOrigin(origin: (typeof ORIGINS)[number], next: Declared): Promise<void> {
    const { catalog } = this.#options;
    const before = catalog.declared(origin);
    const ofBefore = byId(before.upstreams);
    const upstreams = keepEqual(ofBefore, byId(next.upstreams), isSameUpstream);
    const models = keepEqual(before.catalog, next.catalog, isSameModel);
    if (upstreams === ofBefore && models === before.catalog) return;
    const declared: Declared = { upstreams: [...upstreams.values()], catalog: models };
    // The owner has announced what is new.
    await catalog.declare(origin, () => ({ declared, announcements: [] }));
  }
}

function byId(upstreams: readonly UpstreamSettings[]): ReadonlyMap<string, UpstreamSettings> {
  return new Map(upstreams.map((upstream) => [upstream.id, upstream]));
}
