import type { Log } from "../../lib/log/log.ts";
import type { ProcessEvent } from "../../processes/supervisor.ts";

export function logProcessEvent(log: Log, event: ProcessEvent): void {
  switch (event.kind) {
    case "ended":
      return log.write({
        level: "error",
        event: "gateway_process_ended",
        message: `the gateway process ${event.id} has ended unexpectedly; its journal is applied, and another is started in ${event.restartInMs} ms`,
      });
    case "hung":
      return log.write({
        level: "error",
        event: "gateway_process_hung",
        message: `the gateway process ${event.id} does not respond and is killed`,
      });
    case "restarted":
      return log.write({ event: "processes_restarted", message: `${event.count} gateway processes were restarted one after another` });
    case "restart_failed":
      return log.write({
        level: "error",
        event: "restart_failed",
        message: `the rolling restart has stopped, and the other processes go on serving: ${event.reason}`,
      });
  }
}
