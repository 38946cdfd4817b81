import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { Reporter } from "../../lib/ipc/reporter.ts";
import { Reports } from "../../lib/ipc/reports.ts";
import type { RequestObserver } from "../../requests/request-notes.ts";

const STATUS_SERVICE = "status";

/** The load of a gateway process, as of its last report. */
interface ProcessStatus {
  readonly requestsInFlight: number;
  readonly connections: number;
  readonly residentMemoryBytes: number;
  /** Ended requests of any kind, since the process started. */
  readonly requestsServed: number;
}

/** The part of a gateway process's listener that its status shows. */
interface StatusSource {
  readonly pendingRequests: number;
  readonly connections: { readonly authenticated: number; readonly unauthenticated: number };
}

/** Reports the status of a gateway process to the owner. */
export class StatusReporter {
  readonly service: Reporter;
  #requestsServed = 0;

  /** `listener` is undefined until the process listens. */
  constructor(owner: IpcPeer, listener: () => StatusSource | undefined) {
    this.service = new Reporter({ name: STATUS_SERVICE, owner, take: () => this.#statusOf(listener()) });
  }

  readonly observe: RequestObserver = () => {
    this.#requestsServed++;
  };

  #statusOf(listener: StatusSource | undefined): ProcessStatus {
    return {
      requestsInFlight: listener?.pendingRequests ?? 0,
      connections: listener ? listener.connections.authenticated + listener.connections.unauthenticated : 0,
      residentMemoryBytes: process.memoryUsage.rss(),
      requestsServed: this.#requestsServed,
    };
  }
}

/** The last status of each gateway process, in the owner. */
export class ProcessStatuses {
  readonly service: Reports;
  readonly #statuses = new Map<string, ProcessStatus>();

  constructor() {
    this.service = new Reports({
      name: STATUS_SERVICE,
      receive: (processId, report) => void this.#statuses.set(processId, report as ProcessStatus),
      ended: (processId) => void this.#statuses.delete(processId),
    });
  }

  /** Undefined before the first report and after the end of the process. */
  statusOf(processId: string): ProcessStatus | undefined {
    return this.#statuses.get(processId);
  }
}
