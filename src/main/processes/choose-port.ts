import { findFreePort } from "../../lib/http1/server/free-port.ts";
import type { RunningProcess } from "../../stores/ledger/processes/process-folder.ts";

/**
 * The port of gateway processes. Gateway processes that survived an earlier owner listen on the port of that owner, which is then neither
 * free nor in use by another program. If any port is accepted (0), that port is used again. If no survivor listens on the configured port,
 * it must be free. Throws like a listener.
 */
export function choosePort(hostname: string, configured: number, survivors: readonly RunningProcess[]): number {
  const ports = survivors.map(({ port }) => port);
  if (configured === 0) return ports.find((port) => port !== undefined) ?? findFreePort(hostname, 0);
  const isTheirs = ports.includes(configured) || ports.includes(undefined);
  return isTheirs ? configured : findFreePort(hostname, configured);
}
