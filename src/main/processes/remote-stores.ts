import { RemoteKeyRecords } from "../../gateway/key-view/key-records.ts";
import { hideSecrets } from "../../http/hide-secrets.ts";
import type { IpcPeer, ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import { SharedClaimStore } from "../../stores/claims/shared-claim-store.ts";
import type { Closing } from "../../stores/closing.ts";
import { LastUsedReporter } from "../../stores/last-used/last-used-reporter.ts";
import { NO_ANSWER } from "../../stores/ledger/leases/authority.ts";
import { LeasedLedgerStore } from "../../stores/ledger/leases/leased-ledger-store.ts";
import { RemoteAuthority } from "../../stores/ledger/leases/remote-authority.ts";
import type { ProcessFolder } from "../../stores/ledger/processes/process-folder.ts";
import { remoteLimitAuthority } from "../../stores/limits/remote-limit-authority.ts";
import { SharedLimitStore } from "../../stores/limits/shared-limit-store.ts";
import { Replicas } from "../../stores/replication/replicas.ts";
import { RequestForwarder } from "../../stores/request-log/shared/request-forwarder.ts";
import { MemoryResponseStore } from "../../stores/responses/memory-response-store.ts";
import { monotonicMs, type GatewayStores } from "../services.ts";
import type { ProcessSettings } from "./gateway-settings.ts";
import type { ProcessStores } from "./process-stores.ts";

interface RemoteStoreOptions {
  readonly owner: IpcPeer;
  readonly id: string;
  /** The folder of the journal. */
  readonly folder: ProcessFolder;
  readonly settings: ProcessSettings;
  /** Called when the owner cannot be reached, and with undefined when it can again. */
  readonly report: (failure: string | undefined) => void;
  /** The owner accepts no more changes of this process: it has to end. */
  readonly fenced: (error: Error) => void;
}

/**
 * The stores of a gateway process whose owner has the database: replicas of the owner's, and what the owner counts, claims, charges and logs for
 * all processes.
 */
export class RemoteStores implements ProcessStores {
  readonly nowMs = Date.now;
  readonly #replicas = new Replicas();
  readonly keyRecords: RemoteKeyRecords;
  readonly services: readonly ProcessService[];
  readonly #ledger: LeasedLedgerStore;
  readonly #limits: SharedLimitStore;
  readonly #claims: SharedClaimStore;
  readonly #lastUsed: LastUsedReporter;
  readonly #requestLog: RequestForwarder;
  /** Referenced for as long as the process runs: its lock would end with the object. */
  readonly #folder: ProcessFolder;
  /** Why the owner cannot be reached. */
  #failure: string | undefined;

  constructor({ owner, id, folder, settings, report, fenced }: RemoteStoreOptions) {
    const authority = new RemoteAuthority(owner);
    this.#folder = folder;
    this.#limits = new SharedLimitStore(remoteLimitAuthority(owner), monotonicMs);
    this.#claims = new SharedClaimStore(owner);
    this.#lastUsed = new LastUsedReporter(owner);
    this.#requestLog = new RequestForwarder({ owner, isOn: settings.logsRequests, hideSecrets });
    this.#ledger = new LeasedLedgerStore({
      instanceId: id,
      authority,
      folder: folder.path,
      durability: settings.durability,
      monotonicMs: () => performance.now(),
      currentUntilMs: () => (this.#replicas.isCurrent ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY),
      report: (failure) => {
        this.#failure = failure;
        report(failure);
      },
      fenced,
    });
    authority.listen(this.#ledger);
    this.keyRecords = new RemoteKeyRecords(owner, () => this.#ledger.catchUp());
    this.services = [this.#replicas, this.#limits, this.#claims, this.#lastUsed.service, this.#requestLog, authority, this.keyRecords];
  }

  /** The owner is connected: resolves when the replicas are complete. */
  async start(): Promise<void> {
    await this.#replicas.ready;
    await this.#ledger.start();
  }

  get catalog(): CatalogReader {
    return this.#replicas.catalog;
  }

  get stores(): GatewayStores & { readonly requestLog: RequestForwarder } {
    const { keys, accounts, catalog } = this.#replicas;
    return {
      keys,
      accounts,
      catalog,
      isCurrent: () => this.#replicas.isCurrent,
      ledger: this.#ledger,
      ledgerFailure: () => this.#ledger.state().failure ?? this.#admissionFailure(),
      limits: this.#limits,
      claims: this.#claims,
      lastUsed: this.#lastUsed,
      responses: new MemoryResponseStore(),
      requestLog: this.#requestLog,
      backgroundTasks: [this.#requestLog],
    };
  }

  /** Requests are admitted for a while without the owner, which may be back by then. */
  #admissionFailure(): string | undefined {
    return this.#ledger.mayAdmit ? undefined : (this.#failure ?? NO_ANSWER);
  }

  async close(cut: () => unknown, closing: Closing): Promise<void> {
    await closing.run([
      // First: a response that we cut ourselves is not charged as if its client had disconnected. The owner ends it.
      { name: "ledger", close: () => Promise.all([this.#ledger.close(), this.#limits.close()]) },
      { name: "requests in flight", close: cut },
      { name: "request log", close: () => Promise.all([this.#requestLog.close(), this.#lastUsed.service.close()]) },
    ]);
  }

  release(): void {
    this.#folder.release();
  }
}
