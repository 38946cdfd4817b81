import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { buildLoggedRequest } from "./build-logged-request.ts";

/** A request to be written: either a request that ended in this process, or a record that another process has built. */
export type QueuedRequest = EndedRequest | ReceivedRequest;

/** The record of a request that ended in another process, without secrets. Its bodies arrive separately. */
export class ReceivedRequest {
  readonly record: LoggedRequest;

  constructor(record: LoggedRequest) {
    this.record = record;
  }

  get requestId(): string {
    return this.record.requestId;
  }

  get endedAtMs(): number {
    return this.record.endedAtMs;
  }
}

/** The bodies of a request that ended in another process, without secrets. */
export interface ReceivedBodies {
  readonly requestId: string;
  readonly account: string | null;
  readonly model: string | null;
  readonly bodies: LoggedBodies;
}

export function recordOf(queued: QueuedRequest, redactSecrets: (text: string) => string): LoggedRequest {
  return queued instanceof ReceivedRequest ? queued.record : buildLoggedRequest(queued, redactSecrets);
}

/** The requests with captured bodies. */
export function withBodies(requests: readonly QueuedRequest[]): readonly EndedRequest[] {
  return requests.filter((each): each is EndedRequest => !(each instanceof ReceivedRequest) && each.notes.bodies !== undefined);
}
