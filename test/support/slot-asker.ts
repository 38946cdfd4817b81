import type { Slot, Slots } from "../../src/gateway/routing/slots/slots.ts";

/** A call that takes a slot, and its result. */
export class SlotAsker {
  readonly controller = new AbortController();
  state: "waiting" | "holding" | "done" = "waiting";
  failure: unknown;
  release: () => void = () => undefined;

  constructor(slots: Slots) {
    try {
      const slot = slots.take(this.controller.signal);
      if (slot instanceof Promise) slot.then((taken) => this.#hold(taken)).catch((error: unknown) => this.#fail(error));
      else this.#hold(slot);
    } catch (error) {
      this.#fail(error);
    }
  }

  #hold(slot: Slot): void {
    this.state = "holding";
    this.release = () => {
      this.state = "done";
      slot.release();
    };
  }

  #fail(error: unknown): void {
    this.state = "done";
    this.failure = error;
  }
}

export function ask(slots: Slots, count: number): SlotAsker[] {
  return Array.from({ length: count }, () => new SlotAsker(slots));
}
