import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { Concurrency } from "../../../models/upstream-settings.ts";
import { LeasedSlots } from "./leased-slots.ts";
import { poolOf, SLOTS, type SlotAsk, type SlotGrant, type SlotReturn, type SlotStatement } from "./slot-messages.ts";
import type { Slots } from "./slots.ts";

/** Leases the slots of upstreams from the owner: `max_calls` is the bound of all processes together. `SlotsOwner` is the other side. */
export class SlotLeases implements ProcessService {
  readonly name = SLOTS;
  readonly notices = { grant: (body: unknown): void => this.#granted(body as SlotGrant) };
  readonly #owner: Pick<IpcPeer, "notify">;
  readonly #pools = new Map<string, LeasedSlots>();
  #isConnected = false;

  constructor(owner: Pick<IpcPeer, "notify">) {
    this.#owner = owner;
  }

  /** The slots of an upstream. Settings with the same bounds share them. */
  of(upstream: string, bounds: Concurrency): Slots {
    const pool = poolOf(upstream, bounds);
    let slots = this.#pools.get(pool);
    if (!slots) this.#pools.set(pool, (slots = this.#lease(pool, bounds)));
    return slots;
  }

  statement(): SlotStatement {
    return [...this.#pools].flatMap(([pool, { leased }]) => (leased > 0 ? [[pool, leased]] : []));
  }

  connected(): void {
    this.#isConnected = true;
    for (const slots of this.#pools.values()) slots.connected();
  }

  disconnected(): void {
    this.#isConnected = false;
    for (const slots of this.#pools.values()) slots.disconnected();
  }

  #lease(pool: string, bounds: Concurrency): LeasedSlots {
    const owner = {
      ask: (waiting: number): void => this.#owner.notify(`${SLOTS}.ask`, { pool, waiting } satisfies SlotAsk),
      giveBack: (slots: number, isAnswer: boolean): void =>
        this.#owner.notify(`${SLOTS}.return`, { pool, slots, isAnswer } satisfies SlotReturn),
    };
    return new LeasedSlots(bounds, owner, this.#isConnected);
  }

  #granted(grant: SlotGrant): void {
    this.#pools.get(grant.pool)?.granted(grant);
  }
}
