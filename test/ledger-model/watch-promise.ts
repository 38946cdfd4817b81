import { drainMicrotasks } from "bun:jsc";
import type { Ticket } from "./serial-ledger.ts";

/** What a caller of the real ledger has heard. */
export interface Heard<Value> extends Ticket {
  value?: Value;
}

/** Listens to a promise. What is settled already is heard when this returns. */
export function hear<Value>(promise: Promise<Value>): Heard<Value> {
  const heard: Heard<Value> = { heard: "nothing" };
  promise.then(
    (value) => Object.assign(heard, { heard: "done", value }),
    () => Object.assign(heard, { heard: "refused" }),
  );
  drainMicrotasks();
  return heard;
}
