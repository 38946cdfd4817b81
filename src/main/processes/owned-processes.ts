import { hostname } from "node:os";
import { version } from "../../../package.json";
import { buildOf } from "../../lib/this-program.ts";
import type { Processes, ProcessView } from "../../platform/processes.ts";
import type { SupervisedProcess } from "../../processes/supervised-process.ts";
import type { OwnerServer } from "../../processes/owner-server.ts";
import type { Supervisor } from "../../processes/supervisor.ts";
import type { EmbeddedAuthority } from "../../stores/ledger/leases/embedded-authority.ts";
import type { ProcessStatuses } from "../../telemetry/status/process-status.ts";
import { refuseWriteOff } from "../one-machine.ts";
import type { RollingRestart } from "./rolling-restart.ts";

interface OwnedProcessesOptions {
  readonly supervisor: Pick<Supervisor, "processes">;
  readonly restarts: RollingRestart;
  readonly server: Pick<OwnerServer, "silenceMs">;
  readonly statusOf: ProcessStatuses["statusOf"];
  readonly instances: EmbeddedAuthority["instances"];
}

/** The owner process and its gateway processes, as operators see and restart them. */
export class OwnedProcesses implements Processes {
  readonly #options: OwnedProcessesOptions;

  constructor(options: OwnedProcessesOptions) {
    this.#options = options;
  }

  get isRestarting(): boolean {
    return this.#options.restarts.isRestarting;
  }

  list(): Promise<readonly ProcessView[]> {
    const { supervisor, instances } = this.#options;
    const leases = new Map(instances().map((each) => [each.id, each.leases]));
    const started = supervisor.processes.toSorted((one, other) => one.startedAtMs - other.startedAtMs);
    return Promise.resolve([ownerView(), ...started.map((each) => this.#viewOf(each, leases.get(each.id) ?? []))]);
  }

  async find(id: string): Promise<ProcessView | undefined> {
    return (await this.list()).find((each) => each.id === id);
  }

  restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]> {
    return this.#options.restarts.restart(record);
  }

  writeOff(): Promise<never> {
    return refuseWriteOff();
  }

  #viewOf({ id, pid, state, startedAtMs }: SupervisedProcess, leases: ProcessView["leases"]): ProcessView {
    const { server, statusOf } = this.#options;
    const status = statusOf(id);
    return {
      id,
      role: "gateway",
      host: hostname(),
      // A survivor has reported its pid before the platform is served.
      pid: pid ?? 0,
      state,
      startedAtMs,
      heartbeatAgeMs: server.silenceMs(id) ?? null,
      inFlight: status?.requestsInFlight ?? 0,
      connections: status?.connections ?? 0,
      memoryBytes: status?.residentMemoryBytes ?? 0,
      version: buildOf(version),
      leases,
    };
  }
}

function ownerView(): ProcessView {
  return {
    id: "owner",
    role: "owner",
    host: hostname(),
    pid: process.pid,
    state: "live",
    startedAtMs: performance.timeOrigin,
    heartbeatAgeMs: null,
    inFlight: 0,
    connections: 0,
    memoryBytes: process.memoryUsage.rss(),
    version: buildOf(version),
    leases: [],
  };
}
