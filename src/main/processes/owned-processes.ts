import { hostname } from "node:os";
import { version } from "../../../package.json" with { type: "json" };
import type { Processes, ProcessView } from "../../platform/processes.ts";
import type { SupervisedProcess } from "../../processes/supervised-process.ts";
import type { OwnerServer } from "../../processes/owner-server.ts";
import type { Supervisor } from "../../processes/supervisor.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { EmbeddedAuthority } from "../../stores/ledger/leases/embedded-authority.ts";
import type { ProcessStatuses } from "../../telemetry/status/process-status.ts";
import { refuseWriteOff } from "../one-machine.ts";

export interface OwnedProcessesOptions {
  readonly supervisor: Pick<Supervisor, "processes" | "isRestarting" | "restart">;
  readonly server: Pick<OwnerServer, "silenceMs">;
  readonly statusOf: ProcessStatuses["statusOf"];
  readonly instances: EmbeddedAuthority["instances"];
}

/** The owner process and its gateway processes, as operators see and restart them. */
export class OwnedProcesses implements Processes {
  readonly #options: OwnedProcessesOptions;
  /** A restart is being recorded in the audit log, before it starts. */
  #isRecording = false;

  constructor(options: OwnedProcessesOptions) {
    this.#options = options;
  }

  get isRestarting(): boolean {
    return this.#isRecording || this.#options.supervisor.isRestarting;
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

  async restart(record: () => Promise<void>): Promise<void> {
    if (this.isRestarting) throw new ApiError("state_conflict", "A rolling restart is in progress already.");
    this.#isRecording = true;
    try {
      await record();
      void this.#options.supervisor.restart();
    } finally {
      this.#isRecording = false;
    }
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
      // A survivor has told its own before the platform is served.
      pid: pid ?? 0,
      state,
      startedAtMs,
      heartbeatAgeMs: server.silenceMs(id) ?? null,
      inFlight: status?.requestsInFlight ?? 0,
      connections: status?.connections ?? 0,
      memoryBytes: status?.residentMemoryBytes ?? 0,
      version,
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
    version,
    leases: [],
  };
}
