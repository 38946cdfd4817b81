import { refuseWriteOff } from "../../../src/main/one-machine.ts";
import type { Processes, ProcessView } from "../../../src/platform/processes.ts";
import { ApiError } from "../../../src/requests/api-error.ts";

/** No process is listed, and none is restarted. */
export const NO_PROCESSES: Processes = {
  list: () => Promise.resolve([]),
  find: () => Promise.resolve(undefined),
  isRestarting: false,
  restart: () => Promise.reject(new Error("nothing is restarted here")),
  writeOff: () => Promise.reject(new Error("nothing is written off here")),
};

const STARTED_MS = Date.UTC(2027, 0, 31, 12);

function gatewayProcess(id: string, pid: number, more: Partial<ProcessView>): ProcessView {
  return {
    id,
    role: "gateway",
    host: "one",
    pid,
    state: "live",
    startedAtMs: STARTED_MS + 400,
    heartbeatAgeMs: 412.5,
    inFlight: 37,
    connections: 1204,
    memoryBytes: 182_452_224,
    version: "0.1.0",
    leases: [],
    ...more,
  };
}

/** An owner process with gateway processes in every state. */
export const SAMPLE_PROCESSES: readonly ProcessView[] = [
  {
    ...gatewayProcess("owner", 4100, { startedAtMs: STARTED_MS, heartbeatAgeMs: null, inFlight: 0, connections: 0 }),
    role: "owner",
    memoryBytes: 231_735_296,
  },
  gatewayProcess("8kQ2vXp0", 4107, {
    leases: [
      { purse: { scope: "key", id: "1t8M70XpfTe0" }, nanos: 750_000_000n },
      { purse: { scope: "account", id: "default" }, nanos: 2_437_500_000n },
      { purse: { scope: "account", id: "acme" }, nanos: 10_000_000_001n },
    ],
  }),
  gatewayProcess("Zr51mC7d", 4108, {
    state: "draining",
    inFlight: 2,
    connections: 2,
    leases: [{ purse: { scope: "account", id: "default" }, nanos: 1_000_000_000n }],
  }),
  gatewayProcess("p0Yw4LbN", 4109, {
    state: "disconnected",
    heartbeatAgeMs: 12_800,
    leases: [{ purse: { scope: "account", id: "acme" }, nanos: 500_000_000n }],
  }),
  gatewayProcess("t7Hs9GfE", 4131, { state: "starting", heartbeatAgeMs: null, inFlight: 0, connections: 0, memoryBytes: 0 }),
];

const NO_HOLDS = { count: 0, nanos: 0n };

/** Processes on two machines that share a database. One of them is lost. */
export const SHARING_PROCESSES: readonly ProcessView[] = [
  gatewayProcess("gate-1-8kQ2vXp0", 4107, { role: "all", host: "gate-1", openHolds: { count: 2, nanos: 30_000_000n } }),
  gatewayProcess("gate-2-Zr51mC7d", 4108, {
    host: "gate-2",
    state: "disconnected",
    heartbeatAgeMs: 61_000,
    leases: [{ purse: { scope: "account", id: "acme" }, nanos: 500_000_000n }],
    openHolds: { count: 1, nanos: 40_000_000n },
  }),
  gatewayProcess("desk-p0Yw4LbN", 4109, { role: "platform", host: "desk", inFlight: 0, connections: 0, openHolds: NO_HOLDS }),
];

/** Several processes. A rolling restart of them lasts until `end` is called. */
export class SampleProcesses implements Processes {
  isRestarting = false;

  list(): Promise<readonly ProcessView[]> {
    return Promise.resolve(SAMPLE_PROCESSES);
  }

  async find(id: string): Promise<ProcessView | undefined> {
    return SAMPLE_PROCESSES.find((each) => each.id === id);
  }

  async restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]> {
    if (this.isRestarting) throw new ApiError("state_conflict", "A rolling restart is already in progress.");
    const replaced = SAMPLE_PROCESSES.filter(({ role }) => role === "gateway").map(({ id }) => id);
    await record(replaced);
    this.isRestarting = true;
    return replaced;
  }

  writeOff(): Promise<never> {
    return refuseWriteOff();
  }

  end(): void {
    this.isRestarting = false;
  }
}
