import { version } from "../../package.json" with { type: "json" };
import type { Listener } from "../http/serve.ts";
import type { Processes } from "../platform/processes.ts";
import { ApiError } from "../requests/api-error.ts";

/** The single process, which has no other to be restarted by. */
export function singleProcess(gateway: Listener): Processes {
  return {
    isRestarting: false,
    list() {
      const { authenticated, unauthenticated } = gateway.connections;
      const view = {
        id: "single",
        role: "single",
        pid: process.pid,
        state: gateway.isDraining ? "draining" : "live",
        startedAtMs: performance.timeOrigin,
        heartbeatAgeMs: null,
        inFlight: gateway.pendingRequests,
        connections: authenticated + unauthenticated,
        memoryBytes: process.memoryUsage.rss(),
        version,
        leases: [],
      } as const;
      return Promise.resolve([view]);
    },
    restart: () =>
      Promise.reject(
        new ApiError(
          "state_conflict",
          "Tollgate runs as a single process: restart it where it was started, for example with systemctl restart tollgate. A rolling restart needs --processes 2 or more.",
        ),
      ),
  };
}
