import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import { SlotLeases } from "./slot-leases.ts";
import { maxCallsOf, SLOTS, type SlotAsk, type SlotGrant, type SlotReturn, type SlotStatement } from "./slot-messages.ts";
import { SlotPool } from "./slot-pool.ts";

/** The owner process as a process that takes slots itself. */
const OWNER = "owner";

/** Leases the slots of upstreams to the gateway processes, and to the owner process itself (`local`). `SlotLeases` is the other side. */
export class SlotsOwner implements OwnerService {
  readonly name = SLOTS;
  readonly notices = {
    ask: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => {
      const { pool, waiting } = body as SlotAsk;
      this.#pool(pool).ask(id, waiting);
    },
    return: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => {
      const { pool, slots, isAnswer } = body as SlotReturn;
      this.#pool(pool).takeBack(id, slots, isAnswer);
    },
  };
  /** For the upstream states of the owner process. */
  readonly local: SlotLeases;
  /** Until they have ended, also while they are not connected. */
  readonly #processes = new Map<string, Pick<ConnectedProcess, "id" | "notify">>();
  readonly #pools = new Map<string, SlotPool>();

  constructor() {
    this.local = new SlotLeases({ notify: (method, body) => queueMicrotask(() => this.#fromLocal(method, body)) });
    this.#processes.set(OWNER, { id: OWNER, notify: (_, body) => queueMicrotask(() => this.local.notices.grant(body)) });
    this.local.connected();
  }

  connected(process: ConnectedProcess, statement: unknown): void {
    this.#processes.set(process.id, process);
    const stated = new Map((statement ?? []) as SlotStatement);
    for (const pool of stated.keys()) this.#pool(pool);
    // All of them: the share of each process depends on how many there are.
    for (const [name, pool] of this.#pools) {
      pool.connected(process.id, stated.get(name) ?? 0);
      pool.update();
    }
  }

  disconnected(processId: string): void {
    for (const pool of this.#pools.values()) pool.disconnected(processId);
  }

  ended(processId: string): void {
    this.#processes.delete(processId);
    for (const pool of this.#pools.values()) pool.ended(processId);
  }

  #fromLocal(method: string, body: unknown): void {
    this.notices[method === `${SLOTS}.ask` ? "ask" : "return"]({ id: OWNER }, body);
  }

  #pool(name: string): SlotPool {
    let pool = this.#pools.get(name);
    if (!pool) this.#pools.set(name, (pool = this.#open(name)));
    return pool;
  }

  #open(name: string): SlotPool {
    return new SlotPool({
      maxCalls: maxCallsOf(name),
      processes: () => this.#processes.size,
      send: (processId, grant) => this.#processes.get(processId)?.notify(`${SLOTS}.grant`, { pool: name, ...grant } satisfies SlotGrant),
    });
  }
}
