import { drainMicrotasks } from "bun:jsc";
import type { Ticket } from "./serial-ledger.ts";

/** The state of a promise that the real ledger returned, and its value once it is fulfilled. */
export interface WatchedPromise<Value> extends Ticket {
  value?: Value;
}

/** Watches a promise. If the promise has already settled, this is known when the function returns. */
export function watchPromise<Value>(promise: Promise<Value>): WatchedPromise<Value> {
  const watched: WatchedPromise<Value> = { state: "pending" };
  promise.then(
    (value) => Object.assign(watched, { state: "fulfilled", value }),
    () => Object.assign(watched, { state: "rejected" }),
  );
  drainMicrotasks();
  return watched;
}
