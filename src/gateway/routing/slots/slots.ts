import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { reasonOf } from "../../../requests/cancellation-reason.ts";
import type { UpstreamFault } from "../../../models/upstream-fault.ts";
import { ApiError } from "../../../requests/api-error.ts";

/** The right to one call. */
export interface Slot {
  /** A second call does nothing. */
  release(): void;
}

/** Bulkhead of an upstream: its concurrent calls are limited, and further calls wait in a bounded queue, first in, first out. */
export interface Slots {
  /** The slots in use by calls of this process. */
  readonly taken: number;
  /** The calls of this process that wait for a slot. */
  readonly queued: number;
  /** Whether a call would have to wait for another one to end. */
  readonly isFull: boolean;
  readonly isQueueFull: boolean;
  /** Takes a slot, immediately or after a wait in the queue. Throws `overloaded` if the queue is full or the wait was too long. */
  take(signal: CancelSignal): Slot | Promise<Slot>;
  /** The error that `take` would throw at this moment; undefined if a call may proceed or wait. */
  rejection(): ApiError | undefined;
}

/** A slot in use. Releasing it passes it to the next waiting call. */
export class TakenSlot implements Slot {
  readonly #slots: { passOn(): void };
  #isReleased = false;

  constructor(slots: { passOn(): void }) {
    this.#slots = slots;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#slots.passOn();
  }
}

/** `fault` says whether another route may serve the request. */
export function overloaded(detail: string, fault?: UpstreamFault): ApiError {
  return overloadedFor(1, `the upstream's queue: ${detail}`, fault);
}

/** The same error, with a retry after this many seconds. */
export function overloadedFor(seconds: number, detail: string, fault: UpstreamFault | undefined): ApiError {
  const message = `Too many requests are in flight. Please try again in ${seconds}s.`;
  return new ApiError("overloaded", message, { retryAfterSeconds: seconds, detail, fault });
}

/** Calls that wait for a slot of their upstream, first in, first out. */
export class SlotQueue {
  readonly #waiters = new Set<Waiter>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves when the call has a slot. Throws if the client has disconnected or the wait was too long. */
  async wait(signal: CancelSignal, maxWaitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Leaves the queue synchronously: a slot passed to a waiter that has left would be lost.
    const leave = (reason: Error): void => {
      this.#waiters.delete(waiter);
      reject(reason);
    };
    const waiter: Waiter = { proceed: resolve, leave };
    const onAbort = (): void => leave(reasonOf(signal));
    const timer = setTimeout(() => leave(overloaded(`waited ${maxWaitMs} ms for a slot`)), maxWaitMs);
    this.#waiters.add(waiter);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Lets the first waiter proceed. Returns false if no call waits. */
  next(): boolean {
    if (this.#waiters.size === 0) return false;
    const [first] = this.#waiters;
    this.#waiters.delete(first!);
    first!.proceed();
    return true;
  }

  /** Rejects the newest waiters until only `length` remain. */
  shorten(length: number, toReason: () => Error): void {
    for (const { leave } of [...this.#waiters].slice(length)) leave(toReason());
  }
}

interface Waiter {
  /** Called when the call has a slot. */
  readonly proceed: () => void;
  readonly leave: (reason: Error) => void;
}
