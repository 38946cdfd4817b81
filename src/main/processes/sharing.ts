import type { Refusals } from "../../alerts/rules/refusals.ts";
import { receiveRefusals } from "../../alerts/rules/shared-refusals.ts";
import { localKeyRecords, keyRecordsOwner } from "../../gateway/key-view/key-records.ts";
import { DeviationCounts } from "../../gateway/routing/health/deviation-counts.ts";
import { UpstreamStates } from "../../gateway/routing/health/upstream-state.ts";
import { HealthHintsOwner } from "../../gateway/routing/shared-health/health-hints-owner.ts";
import { MergedHealth } from "../../gateway/routing/shared-health/merged-health.ts";
import { SlotsOwner } from "../../gateway/routing/slots/slots-owner.ts";
import type { IdempotencyLocks } from "../../gateway/idempotency-lock.ts";
import type { OwnerService } from "../../lib/ipc/ipc-service.ts";
import type { TlsReload } from "../../config/tls/tls-reload.ts";
import { logFailure, type Log, type LogSink } from "../../lib/log/log.ts";
import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import { ClaimService } from "../../stores/claims/claim-service.ts";
import { SharedLastUsedStore } from "../../stores/last-used/shared-last-used-store.ts";
import { LedgerService } from "../../stores/ledger/leases/ledger-service.ts";
import type { SharedLedger } from "../../stores/ledger/processes/open-ledger.ts";
import type { FolderProcesses } from "../../stores/ledger/processes/process-recovery.ts";
import { LimitService } from "../../stores/limits/limit-service.ts";
import type { Stores } from "../../stores/stores.ts";
import { onCapsChanged } from "../../stores/replication/caps-changes.ts";
import { DeclarationService } from "../../stores/replication/declaration-service.ts";
import { ReplicaFeed } from "../../stores/replication/replica-feed.ts";
import { SharedRequestLogStore } from "../../stores/request-log/shared/shared-request-log-store.ts";
import { Upstreams } from "../../upstreams/registry.ts";
import type { GatewayFront } from "../gateway-front.ts";
import { healthIn, type GatewayUpstreams } from "../gateway-upstreams.ts";
import { monotonicMs, type Services } from "../services.ts";
import { serveInProcesses } from "./owner-process.ts";
import { tlsFeed } from "./shared-tls.ts";

/** The services that the owner process shares with its gateway processes to serve model clients. */
export class Sharing {
  /** The stores, including the data that gateway processes report. */
  readonly stores: Stores;
  readonly upstreams: GatewayUpstreams;
  /** Resolves when all changes made before are in force in every gateway process. */
  readonly propagated: (() => Promise<void>) | undefined;
  readonly #folder: FolderProcesses;
  readonly #ledger: SharedLedger | undefined;
  readonly #services: readonly OwnerService[];

  constructor(opened: Stores, folder: FolderProcesses, variables: CloudVariables, log: Log) {
    const { sharedLedger } = opened;
    const shared = sharedLedger ? shareStores(opened, sharedLedger, log) : shareDeclarations(opened);
    const upstreams = shareUpstreams(opened.catalog, variables);
    this.#folder = folder;
    this.#ledger = sharedLedger;
    this.stores = shared.stores;
    this.propagated = shared.propagated;
    this.upstreams = upstreams.upstreams;
    this.#services = [...shared.services, ...upstreams.services];
  }

  /** Serves model clients in gateway processes. `tls` is the TLS pair of their listener, if it has TLS. */
  serve(
    services: Services,
    tls: TlsReload | undefined,
    idempotencyLocks: IdempotencyLocks,
    refusals: Refusals,
    { output, format }: LogSink,
  ): Promise<GatewayFront> {
    return serveInProcesses({
      services,
      idempotencyLocks,
      folder: this.#folder,
      ledger: this.#ledger,
      shared: [...this.#services, receiveRefusals(refusals), ...(tls ? [tlsFeed(tls)] : [])],
      logOutput: output,
      logFormat: format,
    });
  }
}

interface SharedStores {
  readonly stores: Stores;
  readonly services: readonly OwnerService[];
  readonly propagated?: () => Promise<void>;
}

/** For gateway processes without a database: they have replicas, and charge, count and log through the owner. */
function shareStores(opened: Stores, { authority }: SharedLedger, log: Log): SharedStores {
  const lastUsed = new SharedLastUsedStore(opened.lastUsed);
  const requestLog = new SharedRequestLogStore(opened.requestLog);
  const limits = new LimitService({ monotonicMs });
  const feed = new ReplicaFeed(opened);
  const reportFailure = (thrown: unknown): void => logFailure(log, "leases of changed spend caps could not be recalled", thrown);
  onCapsChanged(opened, (purse) => void authority.capsChanged([purse]).catch(reportFailure));
  const stores = { ...opened, limits: limits.local, lastUsed, requestLog };
  const records = keyRecordsOwner(localKeyRecords(stores));
  return {
    stores,
    services: [new LedgerService(authority), feed, limits, new ClaimService(opened.claims), lastUsed.service, requestLog, records],
    propagated: () => feed.propagated(),
  };
}

/** For gateway processes that open the database themselves, like the processes of other machines. */
function shareDeclarations(opened: Stores): SharedStores {
  return { stores: opened, services: [new DeclarationService(opened.catalog)] };
}

const preciseMs = (): number => performance.now();

/** The upstreams of the owner process, whose slots and health all processes share. */
function shareUpstreams(
  catalog: CatalogReader,
  variables: CloudVariables,
): { readonly upstreams: GatewayUpstreams; readonly services: readonly OwnerService[] } {
  const upstreams = new Upstreams(variables);
  const deviations = new DeviationCounts();
  const slots = new SlotsOwner();
  const hints = new HealthHintsOwner({
    findState: (id) => {
      const settings = catalog.upstreams().get(id);
      return settings && states.of(upstreams.of(settings));
    },
    nowMs: preciseMs,
  });
  const states = new UpstreamStates(preciseMs, { slots: slots.local, observer: hints });
  const ownHealth = healthIn({ upstreams, states, deviations });
  const merged = new MergedHealth({ healthOf: ownHealth, deviations, nowMs: preciseMs });
  return {
    upstreams: {
      upstreams,
      states,
      deviations,
      ownHealth,
      health: (settings) => merged.health(settings),
      allDeviations: () => merged.deviations(),
    },
    services: [slots, hints, merged],
  };
}
