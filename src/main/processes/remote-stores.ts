import { RemoteKeyRecords } from "../../gateway/key-view/key-records.ts";
import { redactSecrets } from "../../http/redact-secrets.ts";
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
  /** Called with the reason when the owner cannot be reached, and with undefined when it can be reached again. */
  readonly report: (failure: string | undefined) => void;
  /** Called if the owner accepts no more changes from this process, which then has to end. */
  readonly fenced: (error: Error) => void;
}

/**
 * The stores of a gateway process whose owner has the database. They are replicas of the owner's stores, and clients of its services that
 * count, claim, charge and log for all processes.
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
  /** Referenced as long as the process runs: garbage collection of the object would release its lock. */
  readonly #folder: ProcessFolder;
  /** Why the owner cannot be reached. */
  #failure: string | undefined;

  constructor({ owner, id, folder, settings, report, fenced }: RemoteStoreOptions) {
    const authority = new RemoteAuthority(owner);
    this.#folder = folder;
    this.#limits = new SharedLimitStore(remoteLimitAuthority(owner), monotonicMs);
    this.#claims = new SharedClaimStore(owner);
    this.#lastUsed = new LastUsedReporter(owner);
    this.#requestLog = new RequestForwarder({ owner, isOn: settings.logsRequests, redactSecrets });
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

  /** Called when the owner is connected. Resolves when the replicas are complete. */
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

  /** Without the owner, requests are still admitted for a while, because the owner may come back within that time. */
  #admissionFailure(): string | undefined {
    return this.#ledger.mayAdmit ? undefined : (this.#failure ?? NO_ANSWER);
  }

  async close(cut: () => unknown, closing: Closing): Promise<void> {
    await closing.run([
      // The ledger is closed first: a response that Tollgate itself cuts off is not charged as if its client had disconnected. The owner
      // ends it.
      { name: "ledger", close: () => Promise.all([this.#ledger.close(), this.#limits.close()]) },
      { name: "requests in flight", close: cut },
      { name: "request log", close: () => Promise.all([this.#requestLog.close(), this.#lastUsed.service.close()]) },
    ]);
  }

  release(): void {
    this.#folder.release();
  }
}
