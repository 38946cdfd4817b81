import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { reasonOf } from "../../../requests/cancellation-reason.ts";
import { overloaded } from "./slots.ts";

interface Waiter {
  /** The call has a slot. */
  readonly proceed: () => void;
  readonly leave: (reason: Error) => void;
}

/** Calls that wait for a slot of their upstream, first in, first out. */
export class SlotQueue {
  readonly #waiters = new Set<Waiter>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves when the call has a slot. Throws where the client is gone or the wait was too long. */
  async wait(signal: CancelSignal, maxWaitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Leaves the queue synchronously: a slot that is passed to a waiter that is gone would be lost.
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

  /** Lets the first waiter proceed. False where none waits. */
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
