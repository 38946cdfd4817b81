import { isLong } from "../long.ts";
import { eventually } from "../eventually.ts";
import { startGateway, type RunningGateway, type StartOptions } from "./start-gateway.ts";

/** The number of gateway processes in tests. */
export const PROCESSES = isLong ? 4 : 2;

/** A process, as the platform lists it. */
export interface Instance {
  readonly id: string;
  readonly role: "single" | "owner" | "gateway";
  readonly state: "starting" | "live" | "disconnected" | "draining";
  readonly pid: number;
  readonly in_flight: number;
  readonly connections: number;
  readonly leased: string;
}

type Platform = Pick<RunningGateway, "platform">;

/** Starts a gateway that serves model clients in several processes. */
export function startProcesses(options: StartOptions = {}, count: number = PROCESSES): Promise<RunningGateway> {
  return startGateway({ ...options, env: { TOLLGATE_PROCESSES: String(count), ...options.env } });
}

/** The gateway processes that are listed. */
export async function gatewayProcesses(gateway: Platform): Promise<Instance[]> {
  const { data } = await gateway.platform<{ data: Instance[] }>("GET", "/api/instances");
  return data.filter(({ role }) => role === "gateway");
}

export async function gatewayPids(gateway: Platform): Promise<number[]> {
  return (await gatewayProcesses(gateway)).map(({ pid }) => pid);
}

/** Waits until this many processes serve requests and no other process is listed, and returns their process IDs. */
export async function untilServing(gateway: Platform, count: number = PROCESSES): Promise<number[]> {
  const listed = await eventually(
    () => gatewayProcesses(gateway),
    (processes) => processes.length === count && processes.every(({ state }) => state === "live"),
  );
  return listed.map(({ pid }) => pid);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
