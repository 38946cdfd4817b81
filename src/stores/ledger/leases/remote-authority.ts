import { RemoteError } from "../../../lib/ipc/ipc-connection.ts";
import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import { fromTaggedJson } from "../../../lib/ipc/tagged-json.ts";
import type { Purse } from "../../../money/purse.ts";
import type { IdempotentReply } from "../ledger-store.ts";
import {
  AuthorityUnavailable,
  type Authority,
  type AuthorityListener,
  type JoinReply,
  type Shipment,
  type ShipmentReply,
} from "./authority.ts";
import { FencedError, SequenceGapError } from "./instance.ts";
import { toSentShipment } from "./shipment-fields.ts";

/** The authority of a gateway process: the owner process at the other end of a connection, which identifies this process. */
export class RemoteAuthority implements Authority, ProcessService {
  readonly name = "ledger";
  readonly #owner: IpcPeer;
  #listener: AuthorityListener | undefined;
  readonly calls = {
    recalled: async (body: unknown): Promise<void> => {
      await Promise.all((body as readonly Purse[]).flatMap((purse) => this.#listener?.recalled(purse) ?? []));
    },
  };
  readonly notices = {
    creditAvailable: (body: unknown): void => {
      for (const purse of body as readonly Purse[]) this.#listener?.onCreditAvailable(purse);
    },
  };

  constructor(owner: IpcPeer) {
    this.#owner = owner;
  }

  /** Passes the owner's messages to the ledger of this process. */
  listen(listener: AuthorityListener): void {
    this.#listener = listener;
  }

  connected(): void {
    this.#listener?.connected();
  }

  disconnected(): void {
    this.#listener?.disconnected();
  }

  async join(): Promise<JoinReply> {
    return fromTaggedJson(await this.#call("join", null)) as JoinReply;
  }

  async ship(shipment: Shipment): Promise<ShipmentReply> {
    return fromTaggedJson(await this.#call("ship", toSentShipment(shipment))) as ShipmentReply;
  }

  async ensureCounted(purses: readonly Purse[]): Promise<void> {
    await this.#call("ensureCounted", purses);
  }

  async recall(_: string, purses: readonly Purse[]): Promise<void> {
    await this.#call("recall", purses);
  }

  async findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    const found = (await this.#call("findReply", [scope, nowMs])) as IdempotentReply | null;
    return found ? { ...found, body: found.body } : undefined;
  }

  async #call(method: string, body: unknown): Promise<unknown> {
    try {
      return await this.#owner.call(`ledger.${method}`, body);
    } catch (error) {
      throw toAuthorityError(error as Error);
    }
  }
}

function toAuthorityError(error: Error): Error {
  if (error instanceof RemoteError && error.code === "FencedError") return new FencedError(error.message);
  if (error instanceof RemoteError && error.code === "SequenceGapError") return new SequenceGapError(error.message);
  return new AuthorityUnavailable(error.message, { cause: error });
}
