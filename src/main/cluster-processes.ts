import { hostname } from "node:os";
import { version } from "../../package.json" with { type: "json" };
import { buildOf } from "../lib/this-program.ts";
import type { Change } from "../access/change.ts";
import type { Listener } from "../http/serve.ts";
import type { Processes, ProcessView } from "../platform/processes.ts";
import { ApiError } from "../requests/api-error.ts";
import { InstanceIsLive, type InstanceRecord, type InstanceStatus, type InstanceStore } from "../stores/ledger/instance-store.ts";
import type { RollingRestart } from "./processes/rolling-restart.ts";

/** The processes that share a database, as operators see them. */
export class ClusterProcesses implements Processes {
  readonly #instances: InstanceStore;
  readonly #restarts: RollingRestart | undefined;

  /** `restarts` is for the gateway processes that this process has started, if any. */
  constructor(instances: InstanceStore, restarts?: RollingRestart) {
    this.#instances = instances;
    this.#restarts = restarts;
  }

  get isRestarting(): boolean {
    return this.#restarts?.isRestarting ?? false;
  }

  async list(): Promise<readonly ProcessView[]> {
    return (await this.#instances.list()).filter(({ state }) => state !== "written_off").map(toView);
  }

  async find(id: string): Promise<ProcessView | undefined> {
    const found = await this.#instances.find(id);
    return found && toView(found);
  }

  async restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]> {
    if (this.#restarts) return this.#restarts.restart(record);
    throw new ApiError(
      "state_conflict",
      "The processes that share a database are restarted where they were started, one after another, for example with systemctl restart tollgate.",
    );
  }

  async writeOff(id: string, record: ((lost: ProcessView) => Change) | undefined): Promise<ProcessView | undefined> {
    const found = await this.#instances.find(id);
    if (!found) return undefined;
    const view = toView(found);
    if (found.state === "live") throw isLive(id);
    if (found.state === "lost" && record) await this.#writeOff(id, record(view));
    return view;
  }

  async #writeOff(id: string, change: Change): Promise<void> {
    try {
      await this.#instances.writeOff(id, change);
    } catch (error) {
      throw error instanceof InstanceIsLive ? isLive(id) : error;
    }
  }
}

function isLive(id: string): ApiError {
  return new ApiError(
    "state_conflict",
    `The process ${id} has called within the last 30 seconds, and may be serving requests. Stop it first: an orderly shutdown returns everything it has leased.`,
  );
}

/** The status of this process. If it has no listener for model clients, it serves none. */
export function statusOf(role: InstanceStatus["role"], listener: Listener | undefined, configDigest: string | undefined): InstanceStatus {
  const { authenticated, unauthenticated } = listener?.connections ?? { authenticated: 0, unauthenticated: 0 };
  return {
    host: hostname(),
    pid: process.pid,
    version: buildOf(version),
    role,
    inFlight: listener?.pendingRequests ?? 0,
    connections: authenticated + unauthenticated,
    memoryBytes: process.memoryUsage.rss(),
    isDraining: listener?.isDraining ?? false,
    configDigest,
  };
}

/** The load of a lost process is unknown: its open holds show what it had in flight. */
function toView({ id, state, startedAtMs, silentMs, leases, openHolds, heldNanos, hasDeclaredFile, status }: InstanceRecord): ProcessView {
  const load = state === "live" ? status : undefined;
  return {
    id,
    role: status?.role ?? "all",
    host: status?.host ?? "",
    pid: status?.pid ?? 0,
    state: stateOf(state, status),
    startedAtMs,
    heartbeatAgeMs: silentMs,
    inFlight: load?.inFlight ?? 0,
    connections: load?.connections ?? 0,
    memoryBytes: load?.memoryBytes ?? 0,
    version: status?.version ?? "",
    leases,
    openHolds: { count: openHolds, nanos: heldNanos },
    config: configOf(hasDeclaredFile),
  };
}

function stateOf(state: InstanceRecord["state"], status: InstanceStatus | undefined): ProcessView["state"] {
  if (state === "written_off") return state;
  if (state === "lost") return "disconnected";
  if (!status) return "starting";
  return status.isDraining ? "draining" : "live";
}

function configOf(hasDeclaredFile: boolean | undefined): ProcessView["config"] {
  if (hasDeclaredFile === undefined) return undefined;
  return hasDeclaredFile ? "declared" : "other";
}
