import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import { SlotLeases } from "./slot-leases.ts";
import { maxCallsOf, SLOTS, type SlotRequest, type SlotGrant, type SlotReturn, type SlotStatement, type Supply } from "./slot-messages.ts";

/** The owner process in its role as a process that takes slots. */
const OWNER = "owner";

/** Leases the slots of upstreams to the gateway processes, and to the owner process itself (`local`). `SlotLeases` is the other side. */
export class SlotsOwner implements OwnerService {
  readonly name = SLOTS;
  readonly notices = {
    ask: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => {
      const { pool, waiting } = body as SlotRequest;
      this.#pool(pool).ask(id, waiting);
    },
    return: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => {
      const { pool, slots, isAnswer } = body as SlotReturn;
      this.#pool(pool).takeBack(id, slots, isAnswer);
    },
  };
  /** The slots for the calls of the owner process. */
  readonly local: SlotLeases;
  /** The processes until they have ended, even while they are not connected. */
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
    // All pools are updated: the share of each process depends on the number of processes.
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

/** A process that has slots of a pool, or has asked for slots. */
interface Member {
  readonly id: string;
  /** While it is not connected it keeps its slots, and receives nothing. */
  isConnected: boolean;
  leased: number;
  /** The calls that wait in the process, as last reported to the owner. */
  waiting: number;
  notified: { readonly supply: Supply; readonly keep: number };
}

interface SlotPoolOptions {
  readonly maxCalls: number;
  /** The number of processes that may have slots. */
  readonly processes: () => number;
  readonly send: (processId: string, grant: Omit<SlotGrant, "pool">) => void;
}

const NEVER_NOTIFIED = { supply: "ample", keep: 0 } as const;

/**
 * The slots of one upstream, at their owner: how many each process has. Slot requests are served first in, first out. When no slot is free,
 * idle slots are recalled, and processes return the slots of ended calls above their share, until a slot is free and no call waits.
 */
class SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #members = new Map<string, Member>();
  /** The members whose calls wait, in the order of their asks. */
  readonly #asks = new Set<Member>();
  /** The members that have not answered the recall. */
  readonly #unanswered = new Set<Member>();
  #supply: Supply = "ample";

  constructor(options: SlotPoolOptions) {
    this.#options = options;
  }

  /** Called when a process has connected that already has this many slots. */
  connected(processId: string, leased: number): void {
    if (leased === 0 && !this.#members.has(processId)) return;
    Object.assign(this.#member(processId), { isConnected: true, leased, notified: NEVER_NOTIFIED });
    this.update();
  }

  ask(processId: string, waiting: number): void {
    const member = this.#member(processId);
    member.waiting = waiting;
    if (waiting > 0) this.#asks.add(member);
    else this.#asks.delete(member);
    this.update();
  }

  takeBack(processId: string, slots: number, isAnswer: boolean): void {
    const member = this.#member(processId);
    member.leased -= slots;
    if (isAnswer) this.#unanswered.delete(member);
    this.update();
  }

  disconnected(processId: string): void {
    const member = this.#members.get(processId);
    if (!member) return;
    member.isConnected = false;
    this.#asks.delete(member);
    this.#unanswered.delete(member);
    this.update();
  }

  ended(processId: string): void {
    this.disconnected(processId);
    this.#members.delete(processId);
    this.update();
  }

  /** Serves asks, and notifies the members of changes. */
  update(): void {
    const granted = this.#serve();
    this.#supply = this.#nextSupply();
    for (const member of this.#members.values()) if (member.isConnected) this.#notify(member, granted.get(member) ?? 0);
  }

  get #free(): number {
    let free = this.#options.maxCalls;
    for (const { leased } of this.#members.values()) free -= leased;
    return free;
  }

  #member(processId: string): Member {
    let member = this.#members.get(processId);
    if (!member)
      this.#members.set(processId, (member = { id: processId, isConnected: true, leased: 0, waiting: 0, notified: NEVER_NOTIFIED }));
    return member;
  }

  #serve(): ReadonlyMap<Member, number> {
    const granted = new Map<Member, number>();
    for (let free = this.#free; free > 0 && this.#asks.size > 0; free = this.#free) {
      const [member] = this.#asks;
      const slots = Math.min(free, this.#grantFor(member!, free));
      granted.set(member!, (granted.get(member!) ?? 0) + slots);
      member!.leased += slots;
      member!.waiting = Math.max(0, member!.waiting - slots);
      this.#asks.delete(member!);
      if (member!.waiting > 0) this.#asks.add(member!);
    }
    return granted;
  }

  /** The size of a grant: more than the member has asked for, while slots are plentiful. */
  #grantFor({ waiting }: Member, free: number): number {
    return this.#supply === "ample" ? Math.max(waiting, Math.floor(free / (4 * this.#options.processes()))) : waiting;
  }

  #nextSupply(): Supply {
    const isFree = this.#free > 0;
    // A recall lasts until it is answered: otherwise, a late answer could be mistaken for the answer to the next recall.
    if (this.#unanswered.size > 0) return "recalled";
    if (isFree) return "ample";
    if (this.#supply !== "ample") return "short";
    if (this.#asks.size === 0) return "ample";
    return this.#members.values().some(canAnswer) ? "recalled" : "short";
  }

  #notify(member: Member, slots: number): void {
    const supply = this.#supply;
    const keep = Math.floor(this.#options.maxCalls / this.#options.processes());
    const { notified } = member;
    const isNews = supply !== notified.supply || (supply !== "ample" && keep !== notified.keep);
    if (slots === 0 && (!isNews || (supply === "recalled" && !canAnswer(member)))) return;
    if (supply === "recalled" && notified.supply !== "recalled") this.#unanswered.add(member);
    member.notified = { supply, keep };
    this.#options.send(member.id, { slots, supply, keep });
  }
}

/** Whether the member may have idle slots to return. */
function canAnswer({ isConnected, leased }: Member): boolean {
  return isConnected && leased > 0;
}
