import { LimitService } from "../../../src/stores/limits/limit-service.ts";
import type { LimitRefusal, LimitScope, LimitStore, LimitTicket } from "../../../src/stores/limits/limit-store.ts";
import { remoteLimitAuthority } from "../../../src/stores/limits/remote-limit-authority.ts";
import { SharedLimitStore } from "../../../src/stores/limits/shared-limit-store.ts";
import { LinkedServices } from "../linked-services.ts";

/** Gateway processes that share rate limits. Each has its own clock: only durations agree. */
export class SharedLimits {
  /** The time of the test. */
  nowMs = 1_000_000;
  readonly stores = new Map<string, SharedLimitStore>();
  /** The number of calls that the owner has received. */
  calls = 0;
  readonly #startedAtMs = new Map<SharedLimitStore, number>();
  #started = 0;
  #owners = 0;
  /** The owner's own store. */
  local!: LimitStore;
  readonly link: LinkedServices;
  readonly #requestsPerSlice: number | undefined;

  /** `requestsPerSlice`: the size of slices, in requests. */
  constructor(requestsPerSlice?: number) {
    this.#requestsPerSlice = requestsPerSlice;
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
      return new SharedLimitStore(remoteLimitAuthority(counted), () => this.nowMs - startedAtMs);
    });
    this.stores.set(processId, store);
    this.#startedAtMs.set(store, startedAtMs);
    return store;
  }

  end(processId: string): void {
    const store = this.stores.get(processId);
    this.stores.delete(processId);
    this.link.end(processId);
    // Otherwise the process would call the owner repeatedly.
    store?.disconnected();
  }

  /** The clock of a process. */
  clockOf(store: SharedLimitStore): number {
    return this.nowMs - this.#startedAtMs.get(store)!;
  }

  /** The owner is killed, and a new owner starts. */
  restartOwner(): Promise<void> {
    return this.link.replaceOwner(this.#newOwner());
  }

  #newOwner(): LimitService {
    const startedAtMs = this.nowMs - 333 * this.#owners++;
    const requestsPerSlice = this.#requestsPerSlice;
    const service = new LimitService({
      monotonicMs: () => this.nowMs - startedAtMs + 90_000,
      ...(requestsPerSlice !== undefined && { requestsPerSlice }),
    });
    this.local = service.local;
    return service;
  }
}

/** The admission of a request; undefined if it was rejected because the owner is unavailable. */
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

/** Starts this number of processes, and forgets their calls so far. */
export async function startProcesses(
  count: number,
): Promise<{ readonly shared: SharedLimits; readonly stores: readonly SharedLimitStore[] }> {
  const shared = new SharedLimits();
  const stores: SharedLimitStore[] = [];
  for (let at = 1; at <= count; at++) stores.push(await shared.start(`p${at}`));
  shared.calls = 0;
  return { shared, stores };
}
