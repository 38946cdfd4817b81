import type { OwnerService } from "../../lib/ipc/ipc-service.ts";
import { toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { CatalogStore, DeclaredCatalog } from "../catalog/catalog-store.ts";
import { DECLARATIONS, type InForceAtOwner } from "./declaration-messages.ts";

/**
 * Sends gateway processes with a database the declarations that their owner has read from the environment, once, and the file that it
 * serves. Gateway processes read everything else from the database, including the declared config file.
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

  /** The declarations of an origin, without the declarations of single models, which only the platform needs. */
  #declared(origin: "environment" | "file"): DeclaredCatalog {
    const { upstreams, catalog, endpoints } = this.#catalog.declared(origin);
    return { upstreams, catalog, endpoints };
  }
}
