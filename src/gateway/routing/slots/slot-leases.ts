import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { Concurrency } from "../../../models/upstream-settings.ts";
import { poolOf, SLOTS, type SlotRequest, type SlotGrant, type SlotReturn, type SlotStatement, type Supply } from "./slot-messages.ts";
import { type Slots, overloaded, TakenSlot, type Slot, SlotQueue } from "./slots.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { ApiError } from "../../../requests/api-error.ts";

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
      ask: (waiting: number): void => this.#owner.notify(`${SLOTS}.ask`, { pool, waiting } satisfies SlotRequest),
      giveBack: (slots: number, isAnswer: boolean): void =>
        this.#owner.notify(`${SLOTS}.return`, { pool, slots, isAnswer } satisfies SlotReturn),
    };
    return new LeasedSlots(bounds, owner, this.#isConnected);
  }

  #granted(grant: SlotGrant): void {
    this.#pools.get(grant.pool)?.granted(grant);
  }
}

/** The connection of one slot pool of this process to the owner of the slots. */
interface SlotOwner {
  /** Requests slots for this number of waiting calls. Each request replaces the previous one; 0 withdraws it. */
  ask(waiting: number): void;
  giveBack(slots: number, isAnswer: boolean): void;
}

/**
 * The slots of an upstream that several processes call. Slots that the owner has leased to this process are taken without a message. When
 * all leased slots are in use, the process asks the owner for more, and the call waits. While the owner is not connected, the process keeps
 * its leased slots.
 */
class LeasedSlots implements Slots {
  readonly #bounds: Concurrency;
  readonly #owner: SlotOwner;
  readonly #queue = new SlotQueue();
  #taken = 0;
  #leased = 0;
  #supply: Supply = "ample";
  #keep = 0;
  #isConnected: boolean;
  /**
   * An upper bound on the number of waiting calls that the owner knows of: grants that were sent before the owner received the latest
   * request are also subtracted.
   */
  #asked = 0;

  constructor(bounds: Concurrency, owner: SlotOwner, isConnected: boolean) {
    this.#bounds = bounds;
    this.#owner = owner;
    this.#isConnected = isConnected;
  }

  get taken(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** The leased slots, in use or not. */
  get leased(): number {
    return this.#leased;
  }

  /** Whether a further call would be rejected. Never while the owner may have slots for more calls. */
  get isFull(): boolean {
    if (this.#taken < this.#leased) return false;
    return this.#supply === "short" || !this.#isConnected || this.#leased >= this.#bounds.maxCalls;
  }

  /** The allowed length of the queue. Until the owner has replied, as many calls may wait as there can be slots. */
  get isQueueFull(): boolean {
    const { maxCalls, maxQueued } = this.#bounds;
    return this.#queue.length >= (this.isFull ? maxQueued : maxQueued + maxCalls - this.#leased);
  }

  take(signal: CancelSignal): Slot | Promise<Slot> {
    if (this.#taken < this.#leased) {
      this.#taken++;
      return new TakenSlot(this);
    }
    const rejection = this.rejection();
    if (rejection) throw rejection;
    return this.#wait(signal);
  }

  rejection(): ApiError | undefined {
    return this.#taken >= this.#leased && this.isQueueFull ? overloaded(`${this.queued} calls are queued`) : undefined;
  }

  async #wait(signal: CancelSignal): Promise<Slot> {
    const turn = this.#queue.wait(signal, this.#bounds.maxWaitMs);
    this.#requestSlots();
    try {
      await turn;
    } catch (error) {
      this.#requestSlots();
      throw error;
    }
    return new TakenSlot(this);
  }

  /** Called when a call has ended. Calls of other processes may wait for its slot. */
  passOn(): void {
    const isScarce = this.#isConnected && this.#supply !== "ample";
    const isOwn = !isScarce || (this.#leased <= this.#keep && this.queued > 0);
    if (isOwn && this.#queue.next()) return;
    this.#taken--;
    if (isScarce) this.#giveBack(1, false);
  }

  granted({ slots, supply, keep }: SlotGrant): void {
    const isRecalled = supply === "recalled" && this.#supply !== "recalled";
    this.#leased += slots;
    this.#asked = Math.max(0, this.#asked - slots);
    this.#supply = supply;
    this.#keep = keep;
    while (this.#taken < this.#leased && this.#queue.next()) this.#taken++;
    this.#rejectExcess();
    const idle = supply === "ample" ? 0 : this.#leased - this.#taken;
    if (idle > 0 || isRecalled) this.#giveBack(idle, isRecalled);
    this.#requestSlots();
  }

  connected(): void {
    this.#isConnected = true;
    this.#requestSlots();
  }

  /** Resets the state of the previous connection: a new connection starts without its asks and notifications. */
  disconnected(): void {
    this.#isConnected = false;
    this.#supply = "ample";
    this.#asked = 0;
    this.#rejectExcess();
  }

  #giveBack(slots: number, isAnswer: boolean): void {
    this.#leased -= slots;
    this.#owner.giveBack(slots, isAnswer);
  }

  /** Requests slots when the first call waits, and again when the owner has granted the previous request. */
  #requestSlots(): void {
    const waiting = this.queued;
    if (!this.#isConnected || this.#asked > 0 === waiting > 0) return;
    this.#asked = waiting;
    this.#owner.ask(waiting);
  }

  /**
   * Rejects the calls that exceed the queue: while a slot request is pending, more calls may wait than the queue allows. Another route may
   * serve them.
   */
  #rejectExcess(): void {
    if (!this.isFull) return;
    const { maxQueued } = this.#bounds;
    this.#queue.shorten(maxQueued, () => overloaded(`${maxQueued} calls are queued`, { kind: "not_sent" }));
  }
}
