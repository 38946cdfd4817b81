import type { KeyRecords } from "../../gateway/key-view/key-records.ts";
import type { Listener } from "../../http/serve.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import type { Closing } from "../../stores/closing.ts";
import type { MetricSources } from "../metrics-snapshot.ts";
import type { GatewayStores } from "../services.ts";

/** The stores of a gateway process: replicas of its owner's stores, connected over the socket, or its own stores in a database. */
export interface ProcessStores {
  readonly stores: GatewayStores & Pick<MetricSources["stores"], "ledger" | "requestLog">;
  readonly keyRecords: KeyRecords;
  readonly catalog: CatalogReader;
  /** The clock that decides about entries, prices and expiry. */
  readonly nowMs: () => number;
  /** The services that exchange data with the owner. */
  readonly services: readonly ProcessService[];
  /** Called when the owner is connected. Resolves when requests can be served. */
  start(): Promise<void>;
  /** Called when requests are served from now on. */
  serving?(listener: Listener): void;
  /**
   * Returns the leases of credit and rate limits, ships the remaining data, ends the requests in flight by `cut`, and closes the stores.
   */
  close(cut: () => unknown, closing: Closing): Promise<void>;
  /** Called when the process has sent everything to its owner, and exits. */
  release?(): void;
}
