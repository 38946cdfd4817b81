import { ownChange } from "../access/change.ts";
import type { Log } from "../lib/log/log.ts";
import type { Processes } from "../platform/processes.ts";
import type { AuditLogStore } from "../stores/audit-log/audit-log-store.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** Starts a rolling restart for a signal. No caller can receive an error, so it is logged. */
export async function restartOnSignal(processes: Processes, auditLog: AuditLogStore, log: Log, nowMs: () => number): Promise<void> {
  try {
    const target = { kind: "instance", id: "all" } as const;
    await processes.restart((instances) => auditLog.add(ownChange("instance.restart", target, { instances }, nowMs())));
  } catch (error) {
    const reason = messageOf(error);
    log.write({ level: "warn", event: "restart_failed", message: `the signal to restart has no effect: ${reason}` });
  }
}
