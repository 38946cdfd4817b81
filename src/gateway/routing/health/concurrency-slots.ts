import { reasonOf } from "../../../requests/caller-gone.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Concurrency } from "../../../models/upstream-settings.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** The right to one call. */
export interface Slot {
  /** Called again, it does nothing. */
  giveBack(): void;
}

/** How many calls an upstream has at once, and who waits for one to end, in order of arrival. */
export class CallSlots {
  readonly #bounds: Concurrency;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(bounds: Concurrency) {
    this.#bounds = bounds;
  }

  get taken(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bounds.maxCalls;
  }

  /** Whether one who comes now can at least wait. */
  get isQueueFull(): boolean {
    return this.#waiting.size >= this.#bounds.maxQueued;
  }

  /** Takes a slot, at once or in turn. Throws `overloaded` where the queue is full, or the wait was too long. */
  take(signal: CancelSignal): Slot | Promise<Slot> {
    if (!this.isFull) {
      this.#taken++;
      return new TakenSlot(this);
    }
    const refusal = this.refusal();
    if (refusal) throw refusal;
    return this.#wait(signal);
  }

  /** What a call would hear at this moment; undefined where it may go, or wait. */
  refusal(): GatewayError | undefined {
    return this.isFull && this.isQueueFull ? overloaded(`${this.#waiting.size} calls wait already`) : undefined;
  }

  async #wait(signal: CancelSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Out of the queue in the same moment: a slot that is handed to somebody who has left would be lost.
    const leave = (reason: Error): void => {
      this.#waiting.delete(resolve);
      reject(reason);
    };
    const onAbort = (): void => leave(reasonOf(signal));
    const { maxWaitMs } = this.#bounds;
    const timer = setTimeout(() => leave(overloaded(`waited ${maxWaitMs} ms for a slot`)), maxWaitMs);
    this.#waiting.add(resolve);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    try {
      await promise;
      return new TakenSlot(this);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** A slot goes from hand to hand: were it free in between, somebody who has not waited could take it. */
  handOn(): void {
    const next = this.#waiting.size === 0 ? undefined : this.#waiting.values().next().value;
    if (!next) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

class TakenSlot implements Slot {
  readonly #slots: CallSlots;
  #isGivenBack = false;

  constructor(slots: CallSlots) {
    this.#slots = slots;
  }

  giveBack(): void {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#slots.handOn();
  }
}

function overloaded(detail: string): GatewayError {
  const message = "Too many requests are under way. Please try again in 1s.";
  return new GatewayError("overloaded", message, { retryAfterSeconds: 1, detail: `the upstream's queue: ${detail}` });
}
