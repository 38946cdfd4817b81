import { readFileSync } from "node:fs";
import type { StorageConfig } from "../../config.ts";
import { ok, warning, type Check, type PreflightReport } from "./check.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineDataFolder } from "./examine-data-folder.ts";

const MIGRATE_REQUESTS = "/proc/sys/net/ipv4/tcp_migrate_req";

/** Examines the configured storage and this machine, and changes nothing. */
export async function preflight(config: StorageConfig): Promise<PreflightReport> {
  const { database, processes } = config;
  const report = database ? await examineDatabase(config, database) : await examineDataFolder(config);
  return { ...report, checks: [...report.checks, ...(processes > 1 ? [checkKernel(processes)] : [])] };
}

/**
 * Without this setting, the kernel resets connections that wait in the queue of a process that stops, for example during a rolling restart.
 */
function checkKernel(processes: number): Check {
  const setting = readSetting(MIGRATE_REQUESTS);
  const name = "kernel";
  if (setting === "1") return ok(name, "net.ipv4.tcp_migrate_req is 1");
  const advice = `with ${processes} processes, connections that are being accepted may be reset when one of them stops`;
  return warning(name, `net.ipv4.tcp_migrate_req is ${setting ?? "unknown"}: ${advice}. Set it to 1 with sysctl, from Linux 5.14 on`);
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Whether a start would fail. */
export function hasFailed({ checks }: PreflightReport): boolean {
  return checks.some(({ status }) => status === "failed");
}
