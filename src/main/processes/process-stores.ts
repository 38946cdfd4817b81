import type { KeyRecords } from "../../gateway/key-view/key-records.ts";
import type { Listener } from "../../http/serve.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import type { Closing } from "../../stores/closing.ts";
import type { MetricSources } from "../metrics-snapshot.ts";
import type { GatewayStores } from "../services.ts";

/** The stores of a gateway process: those of its owner, over the socket, or its own in a database. */
export interface ProcessStores {
  readonly stores: GatewayStores & Pick<MetricSources["stores"], "ledger" | "requestLog">;
  readonly keyRecords: KeyRecords;
  readonly catalog: CatalogReader;
  /** The clock by which entries, prices and expiry are decided. */
  readonly nowMs: () => number;
  /** What they exchange with the owner. */
  readonly services: readonly ProcessService[];
  /** Resolves when requests can be served. The owner is connected. */
  start(): Promise<void>;
  /** Requests are served from now on. */
  serving?(listener: Listener): void;
  /** Returns the leases of credit and rate limits, ships the rest, ends the requests in flight by `cut`, and closes the stores. */
  close(cut: () => unknown, closing: Closing): Promise<void>;
  /** The process has told its owner everything, and exits. */
  release?(): void;
}
