import type { OwnerService } from "../../lib/ipc/ipc-service.ts";
import { toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { CatalogStore, Declared } from "../catalog/catalog-store.ts";
import { DECLARATIONS, type InForceAtOwner } from "./declaration-messages.ts";

/**
 * Tells gateway processes with a database what their owner has read from the environment, which it does once, and which file it serves. Everything
 * else is in the database, where they read it themselves: the declared config file too.
 */
export class DeclarationService implements OwnerService {
  readonly name = DECLARATIONS;
  readonly #catalog: Pick<CatalogStore, "declared">;

  constructor(catalog: Pick<CatalogStore, "declared">) {
    this.#catalog = catalog;
  }

  connected(): unknown {
    const inForce: InForceAtOwner = { environment: this.#declared("environment"), file: this.#declared("file") };
    return toTaggedJson(inForce);
  }

  /** Without the declarations of single models, which the platform alone needs. */
  #declared(origin: "environment" | "file"): Declared {
    const { upstreams, catalog } = this.#catalog.declared(origin);
    return { upstreams, catalog };
  }
}
