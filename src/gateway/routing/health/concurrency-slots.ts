import { reasonOf } from "../../../requests/cancellation-reason.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Concurrency } from "../../../models/upstream-settings.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** The right to one call. */
export interface Slot {
  /** A second call does nothing. */
  release(): void;
}

/** Bulkhead of an upstream: its concurrent calls are limited, and further ones wait in a bounded queue, first in, first out. */
export class ConcurrencySlots {
  readonly #bounds: Concurrency;
  readonly #queue = new Set<() => void>();
  #taken = 0;

  constructor(bounds: Concurrency) {
    this.#bounds = bounds;
  }

  get taken(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bounds.maxCalls;
  }

  get isQueueFull(): boolean {
    return this.#queue.size >= this.#bounds.maxQueued;
  }

  /** Takes a slot, at once or after a wait in the queue. Throws `overloaded` where the queue is full or the wait was too long. */
  take(signal: CancelSignal): Slot | Promise<Slot> {
    if (!this.isFull) {
      this.#taken++;
      return new TakenSlot(this);
    }
    const rejection = this.rejection();
    if (rejection) throw rejection;
    return this.#wait(signal);
  }

  /** The error that `take` would throw at this moment; undefined where a call may go or wait. */
  rejection(): ApiError | undefined {
    return this.isFull && this.isQueueFull ? overloaded(`${this.#queue.size} calls are queued`) : undefined;
  }

  async #wait(signal: CancelSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Leaves the queue synchronously: a slot that is passed to a waiter that is gone would be lost.
    const leave = (reason: Error): void => {
      this.#queue.delete(resolve);
      reject(reason);
    };
    const onAbort = (): void => leave(reasonOf(signal));
    const { maxWaitMs } = this.#bounds;
    const timer = setTimeout(() => leave(overloaded(`waited ${maxWaitMs} ms for a slot`)), maxWaitMs);
    this.#queue.add(resolve);
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

  /** Passes a released slot directly to the first waiter: were it free in between, a call that has not waited could take it. */
  passOn(): void {
    const next = this.#queue.size === 0 ? undefined : this.#queue.values().next().value;
    if (!next) {
      this.#taken--;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}

class TakenSlot implements Slot {
  readonly #slots: ConcurrencySlots;
  #isReleased = false;

  constructor(slots: ConcurrencySlots) {
    this.#slots = slots;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#slots.passOn();
  }
}

function overloaded(detail: string): ApiError {
  const message = "Too many requests are in flight. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail: `the upstream's queue: ${detail}` });
}
