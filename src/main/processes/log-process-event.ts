import type { Log } from "../../lib/log/log.ts";
import type { ProcessEvent } from "../../processes/supervisor.ts";

export function logProcessEvent(log: Log, event: ProcessEvent): void {
  switch (event.kind) {
    case "ended":
      return logEnd(log, event);
    case "hung":
      return log.write({
        level: "error",
        event: "gateway_process_hung",
        message: `the gateway process ${event.id} does not respond and is killed`,
      });
    case "start_timeout":
      return log.write({
        level: "error",
        event: "gateway_process_hung",
        message: `the gateway process ${event.id} was started, does not serve requests in time and is killed`,
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

/** A process that has drained on request, such as after an operator's signal, exits with 0. */
function logEnd(log: Log, { id, exitCode, restartInMs }: Extract<ProcessEvent, { kind: "ended" }>): void {
  const event = "gateway_process_ended";
  if (exitCode === 0) return log.write({ event, message: `the gateway process ${id} has drained and ended; another is started` });
  const message = `the gateway process ${id} has ended unexpectedly; its journal is applied, and another is started in ${restartInMs} ms`;
  log.write({ level: "error", event, message });
}
