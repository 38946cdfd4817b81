import {
  AuthorityUnavailable,
  type Authority,
  type AuthorityListener,
  type JoinReply,
  type Shipment,
  type ShipmentReply,
} from "../../src/stores/ledger/leases/authority.ts";
import type { Purse } from "../../src/money/purse.ts";
import type { IdempotentReply } from "../../src/stores/ledger/ledger-store.ts";
import { ModelAuthority } from "./authority.ts";

/** An authority in memory, which can be unavailable, and which recalls purses from other processes like the owner process does. */
export class MemoryAuthority implements Authority {
  readonly model = new ModelAuthority();
  readonly listeners = new Map<string, AuthorityListener>();
  readonly replies = new Map<string, IdempotentReply>();
  isAway = false;
  shipments = 0;

  async join(instanceId: string): Promise<JoinReply> {
    this.#answer();
    return this.model.join(instanceId);
  }

  async ship({ instanceId, epoch, changes }: Shipment): Promise<ShipmentReply> {
    this.#answer();
    this.shipments++;
    const { replies, entries: _, ...shipped } = this.model.apply(instanceId, epoch, changes);
    for (const reply of replies) this.replies.set(reply.scope, reply);
    return shipped;
  }

  async findReply(scope: string): Promise<IdempotentReply | undefined> {
    this.#answer();
    return this.replies.get(scope);
  }

  /** Everything is counted from the start. */
  async ensureCounted(): Promise<void> {
    this.#answer();
  }

  async recall(instanceId: string, purses: readonly Purse[]): Promise<void> {
    this.#answer();
    const others = [...this.listeners].filter(([id]) => id !== instanceId);
    await Promise.all(others.flatMap(([, listener]) => purses.map((purse) => listener.recalled(purse))));
  }

  #answer(): void {
    if (this.isAway) throw new AuthorityUnavailable("the owner process does not answer");
  }
}
