import { reasonOf } from "./cancellation-reason.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** Resolves after a time. Rejects with the reason where the signal is cancelled before. */
export function sleep(ms: number, signal: CancelSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => {
    clearTimeout(timer);
    reject(reasonOf(signal));
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  }, ms);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  return promise;
}
