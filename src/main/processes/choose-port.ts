import { findFreePort } from "../../lib/http1/server/free-port.ts";
import type { RunningProcess } from "../../stores/ledger/processes/process-folder.ts";

/**
 * The port of gateway processes. Survivors of an earlier owner listen on theirs, which is neither free nor in use by another program; where any
 * port will do (0), it stays theirs. A port that none of them listens on must be free. Throws like a listener.
 */
export function choosePort(hostname: string, configured: number, survivors: readonly RunningProcess[]): number {
  const ports = survivors.map(({ port }) => port);
  if (configured === 0) return ports.find((port) => port !== undefined) ?? findFreePort(hostname, 0);
  const isTheirs = ports.includes(configured) || ports.includes(undefined);
  return isTheirs ? configured : findFreePort(hostname, configured);
}
