import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import { toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { CatalogStore } from "../catalog/catalog-store.ts";
import { DECLARATIONS, DECLARED, ORIGINS, type Declarations } from "./declaration-messages.ts";

/**
 * Sends what the config file and the environment declare to the gateway processes: only the owner process reads them. Everything else is in the
 * database, where a gateway process reads it itself.
 */
export class DeclarationFeed implements OwnerService {
  readonly name = DECLARATIONS;
  readonly #catalog: Pick<CatalogStore, "declared" | "onChange">;
  readonly #followers = new Map<string, ConnectedProcess>();
  #current: Declarations;

  constructor(catalog: Pick<CatalogStore, "declared" | "onChange">) {
    this.#catalog = catalog;
    this.#current = this.#read();
    catalog.onChange(() => this.#publish());
  }

  connected(process: ConnectedProcess): unknown {
    this.#followers.set(process.id, process);
    return encode(this.#current);
  }

  disconnected(processId: string): void {
    this.#followers.delete(processId);
  }

  #read(): Declarations {
    return { file: this.#catalog.declared("file"), environment: this.#catalog.declared("environment") };
  }

  /** Changes of operators are no concern of it. */
  #publish(): void {
    const next = this.#read();
    if (ORIGINS.every((origin) => next[origin] === this.#current[origin])) return;
    this.#current = next;
    if (this.#followers.size === 0) return;
    const body = encode(next);
    for (const process of this.#followers.values()) process.notify(`${DECLARATIONS}.${DECLARED}`, body);
  }
}

/** Without the declarations of single models, which the platform alone needs. */
function encode({ file, environment }: Declarations): unknown {
  const [ofFile, ofEnvironment] = [file, environment].map(({ upstreams, catalog }) => ({ upstreams, catalog }));
  return toTaggedJson({ file: ofFile, environment: ofEnvironment });
}
