import type { Supervisor } from "../../processes/supervisor.ts";
import { ApiError } from "../../requests/api-error.ts";

/** Rolling restarts of the gateway processes of this machine, started by operators. One process is replaced at a time. */
export class RollingRestart {
  readonly #supervisor: Pick<Supervisor, "processes" | "isRestarting" | "restart">;
  /** Whether a restart is being recorded in the audit log, before it starts. */
  #isRecording = false;

  constructor(supervisor: Pick<Supervisor, "processes" | "isRestarting" | "restart">) {
    this.#supervisor = supervisor;
  }

  get isRestarting(): boolean {
    return this.#isRecording || this.#supervisor.isRestarting;
  }

  /** Resolves when the restart has started, with the IDs of the processes that will be replaced. */
  async restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]> {
    if (this.isRestarting) throw new ApiError("state_conflict", "A rolling restart is in progress already.");
    const replaced = this.#supervisor.processes.toSorted((one, other) => one.startedAtMs - other.startedAtMs).map(({ id }) => id);
    this.#isRecording = true;
    try {
      await record(replaced);
      void this.#supervisor.restart();
    } finally {
      this.#isRecording = false;
    }
    return replaced;
  }
}
