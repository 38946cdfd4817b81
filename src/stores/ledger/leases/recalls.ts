import { type Purse, purseKey } from "../../../money/purse.ts";
import type { AuthorityListener } from "./authority.ts";

/** Notices and calls to a connected process. */
export type ProcessListener = Pick<AuthorityListener, "recalled" | "onCreditAvailable">;

/** How long a request waits for other processes to return unused credit: a process that serves a burst takes a while to answer. */
export const RECALL_MS = 2000;

/**
 * Asks connected processes to return unused credit, and notifies them of available credit. For each process and purse, one call is in
 * flight at a time.
 */
export class Recalls {
  readonly #listeners = new Map<string, ProcessListener>();
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Processes that have not answered a recall in time. */
  readonly #silent = new Set<string>();
  readonly #recallMs: number;

  constructor(recallMs = RECALL_MS) {
    this.#recallMs = recallMs;
  }

  connect(instanceId: string, listener: ProcessListener): void {
    this.#listeners.set(instanceId, listener);
  }

  disconnect(instanceId: string): void {
    this.#listeners.delete(instanceId);
    this.#silent.delete(instanceId);
  }

  /** Whether the process has missed the deadline of a recall, and has not answered since. */
  isSilent(instanceId: string): boolean {
    return this.#silent.has(instanceId);
  }

  onCreditAvailable(instanceId: string, purse: Purse): void {
    this.#listeners.get(instanceId)?.onCreditAvailable(purse);
  }

  /** Resolves when all of the processes have returned unused credit, or after 2 seconds. A silent process is asked, but not waited for. */
  async recall(leases: readonly { readonly instanceId: string; readonly purse: Purse }[]): Promise<void> {
    const returning = leases.flatMap(({ instanceId, purse }) => {
      const isSilent = this.isSilent(instanceId);
      const returned = this.#recallFrom(instanceId, purse);
      return isSilent ? [] : (returned ?? []);
    });
    if (returning.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      for (const { instanceId, purse } of leases) if (this.#inFlight.has(keyOf(instanceId, purse))) this.#silent.add(instanceId);
      resolve();
    }, this.#recallMs);
    await Promise.race([Promise.all(returning), promise]);
    clearTimeout(timer);
  }

  #recallFrom(instanceId: string, purse: Purse): Promise<void> | undefined {
    const listener = this.#listeners.get(instanceId);
    if (!listener) return undefined;
    const key = keyOf(instanceId, purse);
    let returning = this.#inFlight.get(key);
    if (!returning) {
      // A process that cannot be reached returns nothing.
      returning = listener
        .recalled(purse)
        .then(() => void this.#silent.delete(instanceId))
        .catch(() => undefined)
        .finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, returning);
    }
    return returning;
  }
}

function keyOf(instanceId: string, purse: Purse): string {
  return `${instanceId} ${purseKey(purse)}`;
}
