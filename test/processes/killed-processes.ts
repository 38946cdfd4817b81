import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KillableGateway } from "../crash/killable-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { isRunning, PROCESSES, untilServing } from "../support/gateway/gateway-processes.ts";

/** The names in a folder inside the data folder; empty if it does not exist. */
function namesIn(gateway: KillableGateway, folder: string): string[] {
  const path = join(gateway.folder, "data", folder);
  return existsSync(path) ? readdirSync(path) : [];
}

/** The gateway processes that have left a folder. */
export function processFolders(gateway: KillableGateway): string[] {
  return namesIn(gateway, "processes");
}

export function hasOwnerSocket(gateway: KillableGateway): boolean {
  return namesIn(gateway, "").includes("owner.sock");
}

/** Starts this many processes. Returns the process IDs of the gateway processes after all of them and the platform serve requests. */
export async function startServing(
  gateway: KillableGateway,
  count: number = PROCESSES,
  env: Record<string, string> = {},
): Promise<number[]> {
  gateway.spawn({ TOLLGATE_PROCESSES: String(count), ...env });
  await untilPlatform(gateway);
  return untilServing(gateway, count);
}

/** The first gateway process serves requests before the platform does. */
async function untilPlatform(gateway: KillableGateway): Promise<void> {
  await gateway.untilReady();
  await eventually(
    () =>
      gateway.askPlatform("GET", "/api/instances").then(
        ({ ok }) => ok,
        () => false,
      ),
    (isThere) => isThere,
  );
}

/** Kills the owner and all gateway processes with kill -9. */
export async function killAll(gateway: KillableGateway): Promise<void> {
  await gateway.kill();
  const files = processFolders(gateway).map((id) => join(gateway.folder, "data", "processes", id, "pid"));
  const pids = files.filter((file) => existsSync(file)).map((file) => Number(readFileSync(file, "utf8")));
  for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
  await eventually(
    () => pids.filter(isRunning),
    (running) => running.length === 0,
  );
}

/** Kills all processes, and removes the folder. */
export async function removeProcesses(gateway: KillableGateway): Promise<void> {
  await killAll(gateway);
  await gateway.remove();
}
