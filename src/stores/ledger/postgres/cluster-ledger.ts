import type { Durability } from "../../database.ts";
import type { DatabaseClock } from "../../postgres/database-clock.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import { newInstanceId } from "../instance-id.ts";
import { LeasedLedgerStore } from "../leases/leased-ledger-store.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { claimFolder, type ClaimedFolder, type ClaimOptions } from "../processes/claim-folder.ts";
import { createProcessFolder, type OwnFolder } from "../processes/process-folder.ts";
import { PostgresAuthority } from "./postgres-authority.ts";

/** How long applied changes are kept. A failover may lose the last transactions of the database: lost changes are shipped again. */
const KEEP_APPLIED_MS = 300_000;

export interface ClusterLedgerOptions extends Omit<ClaimOptions, "instanceId"> {
  /** The clock of the database, from which `nowMs` is taken. */
  readonly clock: DatabaseClock;
  readonly durability: Durability;
  /** How long requests are admitted after the database has last answered. */
  readonly admitSeconds: number;
  /** The clock of `feed.currentAtMs`. */
  readonly monotonicMs: () => number;
  /** The port for model clients. */
  readonly port: number;
  /**
   * The id of a gateway process that was started by another process, which has the data folder; undefined for a process that was started
   * directly.
   */
  readonly instanceId?: string;
  /** Called when the ledger becomes unwritable, and with undefined when it is writable again. */
  readonly reportLedger: (failure: string | undefined) => void;
  /** Called when a process of this data folder has ended and its journal was applied. */
  readonly ended?: (instanceId: string) => Promise<void>;
  /** Called when the database accepts no more changes of this process, which then has to end. */
  readonly fenced: (error: Error) => void;
}
/** The ledger of this process, and the folder with its journal. */
export interface ClusterLedger {
  readonly instanceId: string;
  readonly folder: OwnFolder;
  /** The data folder, unless another process has it. */
  readonly claimed: ClaimedFolder | undefined;
  readonly authority: PostgresAuthority;
  readonly store: LeasedLedgerStore;
}

/** Applies the journals of ended processes in the data folder, and joins the cluster as a new process. */
export async function openClusterLedger(
  { pool, feed }: OpenPostgres,
  capsOf: CapsOf,
  options: ClusterLedgerOptions,
): Promise<ClusterLedger> {
  const { dataFolder, port, durability, admitSeconds, monotonicMs, reportLedger, ended, fenced, clock } = options;
  const instanceId = options.instanceId ?? newInstanceId();
  const authority = new PostgresAuthority({ pool, capsOf, own: { instanceId, durability }, ended, clock });
  const claimed = options.instanceId === undefined ? await claimFolder({ ...options, instanceId }, authority) : undefined;
  const folder = createProcessFolder(dataFolder, instanceId, port);
  const store = new LeasedLedgerStore({
    instanceId,
    authority,
    folder: folder.path,
    durability,
    admitMs: admitSeconds * 1000,
    keepAppliedMs: KEEP_APPLIED_MS,
    monotonicMs,
    currentUntilMs: () => feed.currentAtMs ?? Number.NEGATIVE_INFINITY,
    report: reportLedger,
    fenced,
  });
  await feed.refresh();
  authority.connect(instanceId, store);
  await authority.listen();
  await store.start();
  return { instanceId, folder, claimed, authority, store };
}

/** Ends the process in the ledger. A journal with unshipped changes stays: the next start applies it. */
export async function endClusterLedger({ instanceId, folder, authority, store }: ClusterLedger): Promise<void> {
  const isApplied = store.state().unwrittenEntries === 0;
  if (isApplied) await authority.end(instanceId, "closed");
  if (isApplied) folder.remove();
  folder.release();
}
