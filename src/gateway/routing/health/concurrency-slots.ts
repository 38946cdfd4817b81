import type { Concurrency } from "../../../models/upstream-settings.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { ApiError } from "../../../requests/api-error.ts";
import { SlotQueue } from "../slots/slot-queue.ts";
import { overloaded, TakenSlot, type Slot, type Slots } from "../slots/slots.ts";

/** The slots of an upstream that one process calls alone. */
export class ConcurrencySlots implements Slots {
  readonly #bounds: Concurrency;
  readonly #queue = new SlotQueue();
  #taken = 0;

  constructor(bounds: Concurrency) {
    this.#bounds = bounds;
  }

  get taken(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bounds.maxCalls;
  }

  get isQueueFull(): boolean {
    return this.#queue.length >= this.#bounds.maxQueued;
  }

  take(signal: CancelSignal): Slot | Promise<Slot> {
    if (!this.isFull) {
      this.#taken++;
      return new TakenSlot(this);
    }
    const rejection = this.rejection();
    if (rejection) throw rejection;
    return this.#wait(signal);
  }

  rejection(): ApiError | undefined {
    return this.isFull && this.isQueueFull ? overloaded(`${this.queued} calls are queued`) : undefined;
  }

  async #wait(signal: CancelSignal): Promise<Slot> {
    await this.#queue.wait(signal, this.#bounds.maxWaitMs);
    return new TakenSlot(this);
  }

  /** Passes a released slot directly to the first waiter: were it free in between, a call that has not waited could take it. */
  passOn(): void {
    if (!this.#queue.next()) this.#taken--;
  }
}
