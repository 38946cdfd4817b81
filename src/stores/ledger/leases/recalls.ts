import { type Purse, purseKey } from "../../../money/purse.ts";
import type { AuthorityListener } from "./authority.ts";

/** Notices and calls to a connected process. */
export type ProcessListener = Pick<AuthorityListener, "recalled" | "freed">;

/** How long a request waits for other processes to return what they do not use. */
const RECALL_MS = 250;

/** Asks connected processes to return what they do not use, and notifies them of credit. One call a process and purse is in flight at a time. */
export class Recalls {
  readonly #listeners = new Map<string, ProcessListener>();
  readonly #inFlight = new Map<string, Promise<void>>();

  connect(instanceId: string, listener: ProcessListener): void {
    this.#listeners.set(instanceId, listener);
  }

  disconnect(instanceId: string): void {
    this.#listeners.delete(instanceId);
  }

  freed(instanceId: string, purse: Purse): void {
    this.#listeners.get(instanceId)?.freed(purse);
  }

  /** Resolves when all of them have returned what they do not use, or after 250 ms. */
  async recall(leases: readonly { readonly instanceId: string; readonly purse: Purse }[]): Promise<void> {
    const returning = leases.flatMap(({ instanceId, purse }) => this.#recallFrom(instanceId, purse) ?? []);
    if (returning.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, RECALL_MS);
    await Promise.race([Promise.all(returning), promise]);
    clearTimeout(timer);
  }

  #recallFrom(instanceId: string, purse: Purse): Promise<void> | undefined {
    const listener = this.#listeners.get(instanceId);
    if (!listener) return undefined;
    const key = `${instanceId} ${purseKey(purse)}`;
    let returning = this.#inFlight.get(key);
    if (!returning) {
      // A process that cannot be reached returns nothing.
      returning = listener
        .recalled(purse)
        .catch(() => undefined)
        .finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, returning);
    }
    return returning;
  }
}
