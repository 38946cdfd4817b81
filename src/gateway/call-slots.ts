import { reasonOf } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Concurrency } from "../vocabulary/upstream-settings.ts";

/** Gives a slot back. Called again, it does nothing. */
export type GiveBack = () => void;

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

  /** Takes a slot, at once or in turn. Throws `overloaded` where the queue is full, or the wait was too long. */
  take(signal: AbortSignal): GiveBack | Promise<GiveBack> {
    if (!this.isFull) {
      this.#taken++;
      return this.#slot();
    }
    if (this.#waiting.size >= this.#bounds.maxQueued) throw overloaded(`${this.#waiting.size} calls wait already`);
    return this.#wait(signal);
  }

  async #wait(signal: AbortSignal): Promise<GiveBack> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => reject(reasonOf(signal));
    const timer = setTimeout(() => reject(overloaded(`waited ${this.#bounds.maxWaitMs} ms for a slot`)), this.#bounds.maxWaitMs);
    this.#waiting.add(resolve);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
    try {
      await promise;
      return this.#slot();
    } finally {
      this.#waiting.delete(resolve);
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
  }

  /** A slot goes from hand to hand: were it free in between, somebody who has not waited could take it. */
  #slot(): GiveBack {
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      const [next] = this.#waiting;
      if (!next) {
        this.#taken--;
        return;
      }
      this.#waiting.delete(next);
      next();
    };
  }
}

function overloaded(detail: string): GatewayError {
  const message = "Too many requests are under way. Please try again in 1s.";
  return new GatewayError("overloaded", message, { retryAfterSeconds: 1, detail: `the upstream's queue: ${detail}` });
}
