import { randomInt } from "node:crypto";
import { findFreePort } from "../../lib/http1/server/free-port.ts";
import type { RunningProcess } from "../../stores/ledger/processes/process-folder.ts";

/**
 * The port of gateway processes. Gateway processes that survived an earlier owner listen on the port of that owner, which is then neither
 * free nor in use by another program. If any port is accepted (0), that port is used again. If no survivor listens on the configured port,
 * it must be free. Throws like a listener.
 */
export function choosePort(hostname: string, configured: number, survivors: readonly RunningProcess[]): number {
  const ports = survivors.map(({ port }) => port);
  if (configured === 0) return ports.find((port) => port !== undefined) ?? findAnyPort(hostname);
  const isTheirs = ports.includes(configured) || ports.includes(undefined);
  return isTheirs ? configured : findFreePort(hostname, configured);
}

/** Below the ephemeral ports of Linux and macOS: until the processes listen, the kernel does not assign one of these ports to another program. */
const PORTS = { first: 20_000, count: 12_000 };
const MAX_TRIES = 100;

function findAnyPort(hostname: string): number {
  for (let tries = 1; ; tries++) {
    try {
      return findFreePort(hostname, PORTS.first + randomInt(PORTS.count));
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}
