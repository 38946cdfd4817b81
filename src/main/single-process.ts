import { hostname } from "node:os";
import { version } from "../../package.json" with { type: "json" };
import { buildOf } from "../lib/this-program.ts";
import type { Listener } from "../http/serve.ts";
import type { Processes, ProcessView } from "../platform/processes.ts";
import { ApiError } from "../requests/api-error.ts";
import { refuseWriteOff } from "./one-machine.ts";

const ID = "single";

/** The single process, which has no other to be restarted by. */
export function singleProcess(gateway: Listener): Processes {
  return {
    isRestarting: false,
    list: async () => [viewOf(gateway)],
    find: async (id) => (id === ID ? viewOf(gateway) : undefined),
    writeOff: refuseWriteOff,
    restart: () =>
      Promise.reject(
        new ApiError(
          "state_conflict",
          "Tollgate runs as a single process: restart it where it was started, for example with systemctl restart tollgate. A rolling restart needs --processes 2 or more.",
        ),
      ),
  };
}

function viewOf(gateway: Listener): ProcessView {
  const { authenticated, unauthenticated } = gateway.connections;
  return {
    id: ID,
    role: "single",
    host: hostname(),
    pid: process.pid,
    state: gateway.isDraining ? "draining" : "live",
    startedAtMs: performance.timeOrigin,
    heartbeatAgeMs: null,
    inFlight: gateway.pendingRequests,
    connections: authenticated + unauthenticated,
    memoryBytes: process.memoryUsage.rss(),
    version: buildOf(version),
    leases: [],
  };
}
