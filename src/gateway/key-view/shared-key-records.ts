import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { KeyFigures, KeyRecords } from "./key-records.ts";
import type { KeyOfAccount } from "./key-view.ts";

const NAME = "key_records";

type ReadMessage = readonly [key: KeyOfAccount, recentCount: number, nowMs: number];

/** The owner's side: reads the records for its gateway processes, which have no database. */
export function keyRecordsOwner(records: KeyRecords): OwnerService {
  return {
    name: NAME,
    calls: { read: async (_: ConnectedProcess, body: unknown) => toTaggedJson(await records.read(...(body as ReadMessage))) },
  };
}

/** A gateway process's side. */
export class RemoteKeyRecords implements KeyRecords, ProcessService {
  readonly name = NAME;
  readonly #owner: IpcPeer;
  readonly #catchUp: () => Promise<void>;

  /** `catchUp` sends the owner what this process has charged. */
  constructor(owner: IpcPeer, catchUp: () => Promise<void>) {
    this.#owner = owner;
    this.#catchUp = catchUp;
  }

  async read({ id, accountId }: KeyOfAccount, recentCount: number, nowMs: number): Promise<KeyFigures> {
    const message: ReadMessage = [{ id, accountId }, recentCount, nowMs];
    await this.#catchUp();
    try {
      return fromTaggedJson(await this.#owner.call(`${NAME}.read`, message)) as KeyFigures;
    } catch (error) {
      throw usageUnavailable((error as Error).message);
    }
  }
}

function usageUnavailable(detail: string): ApiError {
  return new ApiError("overloaded", "The usage of this key cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}
