/** A cancellation signal: the result is no longer needed. Every `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A signal with its trigger. It costs a tenth of an `AbortController`, and every request has one. */
export class Cancellation implements CancelSignal {
  #listeners: (() => void)[] = [];
  aborted = false;
  reason: unknown;

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  end(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** A signal that is cancelled as soon as any of these signals is, for the same reason. */
export function cancelledWith(...signals: readonly CancelSignal[]): Cancellation {
  const cancellation = new Cancellation();
  for (const signal of signals) {
    if (signal.aborted) cancellation.end(signal.reason);
    else signal.addEventListener("abort", () => cancellation.end(signal.reason));
  }
  return cancellation;
}
