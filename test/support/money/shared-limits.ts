import { LimitService } from "../../../src/stores/limits/limit-service.ts";
import type { LimitRefusal, LimitScope, LimitTicket } from "../../../src/stores/limits/limit-store.ts";
import { MemoryLimitStore } from "../../../src/stores/limits/memory-limit-store.ts";
import { SharedLimitStore } from "../../../src/stores/limits/shared-limit-store.ts";
import { LinkedServices } from "../linked-services.ts";

/** Gateway processes that share rate limits, with a clock of their own each: only durations agree. */
export class SharedLimits {
  /** The time of the test. */
  nowMs = 1_000_000;
  readonly stores = new Map<string, SharedLimitStore>();
  /** How many calls the owner has received. */
  calls = 0;
  readonly #startedAtMs = new Map<SharedLimitStore, number>();
  #started = 0;
  #owners = 0;
  /** The owner's own store. */
  local!: MemoryLimitStore;
  readonly link: LinkedServices;

  constructor() {
    this.link = new LinkedServices(this.#newOwner());
  }

  /** Starts a process and connects it. */
  async start(processId: string): Promise<SharedLimitStore> {
    const startedAtMs = this.nowMs - ++this.#started * 777;
    const store = await this.link.start(processId, (owner) => {
      const counted = {
        ...owner,
        call: (method: string, body: unknown) => {
          this.calls++;
          return owner.call(method, body);
        },
      };
      return new SharedLimitStore(counted, () => this.nowMs - startedAtMs);
    });
    this.stores.set(processId, store);
    this.#startedAtMs.set(store, startedAtMs);
    return store;
  }

  end(processId: string): void {
    this.stores.delete(processId);
    this.link.end(processId);
  }

  /** The clock of a process. */
  clockOf(store: SharedLimitStore): number {
    return this.nowMs - this.#startedAtMs.get(store)!;
  }

  /** The owner is killed, and another one starts. */
  restartOwner(): Promise<void> {
    return this.link.replaceOwner(this.#newOwner());
  }

  #newOwner(): LimitService {
    this.local = new MemoryLimitStore();
    const startedAtMs = this.nowMs - 333 * this.#owners++;
    return new LimitService(this.local, () => this.nowMs - startedAtMs + 90_000);
  }
}

/** A request's admission: undefined where it was rejected because the owner is away. */
export async function tryTake(
  store: SharedLimitStore,
  scopes: readonly LimitScope[],
  tokens = 1,
): Promise<LimitTicket | LimitRefusal | undefined> {
  try {
    return await store.take(scopes, tokens);
  } catch (error) {
    if ((error as { code?: unknown }).code === "overloaded") return undefined;
    throw error;
  }
}

export function isTicket(taken: LimitTicket | LimitRefusal | undefined): taken is LimitTicket {
  return taken !== undefined && "undo" in taken;
}
