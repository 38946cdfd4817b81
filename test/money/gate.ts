import { eventually } from "../support/eventually.ts";

/** Holds back callers, and counts them, until it is opened. */
export class Gate {
  #open = Promise.withResolvers<void>();
  waiting = 0;

  async pass(): Promise<void> {
    this.waiting++;
    await this.#open.promise;
    this.waiting--;
  }

  /** Waits until this many callers are held back. */
  async holds(count: number): Promise<void> {
    await eventually(
      () => this.waiting,
      (waiting) => waiting === count,
    );
  }

  open(): void {
    this.#open.resolve();
  }

  close(): void {
    this.#open = Promise.withResolvers();
  }
}
