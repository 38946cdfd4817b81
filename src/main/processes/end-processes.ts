import type { Log } from "../../lib/log/log.ts";
import { findRunningProcesses, type RunningProcess } from "../../stores/ledger/processes/process-folder.ts";
import { sendSignal } from "./send-signal.ts";

const CHECK_EVERY_MS = 100;
/** One whose pid is not known cannot be killed: opening the ledger then fails, and names it. */
const KILLED_WITHIN_MS = 5000;

/**
 * Ends the gateway processes of an owner that was killed, because from now on one process serves alone. They finish their requests, for as long
 * as a drain may take; their journals are applied after this.
 */
export async function endProcesses(dataFolder: string, running: readonly RunningProcess[], drainSeconds: number, log: Log): Promise<void> {
  const message = `${running.length} gateway processes of an earlier start still run; they finish their requests and end`;
  log.write({ level: "warn", event: "processes_ended", message });
  signal(running, "SIGTERM");
  if (!(await haveEnded(dataFolder, drainSeconds * 1000))) signal(findRunningProcesses(dataFolder), "SIGKILL");
  await haveEnded(dataFolder, KILLED_WITHIN_MS);
}

/** Whether all have ended within this time. The lock of a folder ends with its process. */
async function haveEnded(dataFolder: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (findRunningProcesses(dataFolder).length > 0) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(CHECK_EVERY_MS);
  }
  return true;
}

function signal(processes: readonly RunningProcess[], name: "SIGTERM" | "SIGKILL"): void {
  for (const { pid } of processes) sendSignal(pid, name);
}
