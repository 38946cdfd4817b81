import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresPool, type PostgresConnection, type ReservedConnection, type Rows } from "../../../src/stores/postgres/postgres-pool.ts";

/** Turns of the event loop with no statement under way, after which the work is waiting for the second connection, and for nothing else. */
const IDLE_TURNS = 20;
const TURN_MS = 25;

/** Work that has a connection of a pool. */
class Holder {
  readonly #pool: PostgresPool;
  readonly #outer: Holder | undefined;
  hasEnded = false;
  /** Statements under way, and those that were sent. */
  underWay = 0;
  sent = 0;

  constructor(pool: PostgresPool, outer: Holder | undefined) {
    this.#pool = pool;
    this.#outer = outer;
  }

  observe(connection: PostgresConnection): PostgresConnection {
    return {
      query: async <Row>(text: string, parameters?: readonly unknown[]): Promise<Rows<Row>> => {
        this.sent++;
        this.underWay++;
        try {
          return await connection.query<Row>(text, parameters);
        } finally {
          this.underWay--;
        }
      },
    };
  }

  /** Resolves when the work that has a connection of this pool has ended. Throws where it waits for the caller. */
  async ended(pool: PostgresPool): Promise<void> {
    if (pool === this.#pool) await this.#ended();
    await this.#outer?.ended(pool);
  }

  async #ended(): Promise<void> {
    let sent = this.sent;
    for (let idle = 0; !this.hasEnded; idle++) {
      if (idle > IDLE_TURNS) throw new SecondConnection();
      await Bun.sleep(TURN_MS);
      if (this.underWay > 0 || this.sent !== sent) idle = 0;
      sent = this.sent;
    }
  }
}

/** Work that has a connection of a pool waits for another one. Where all callers do, none gets one. */
export class SecondConnection extends Error {
  constructor() {
    super("a transaction waits for a second connection of its pool: use its own connection");
    this.name = "SecondConnection";
  }
}

const holders = new AsyncLocalStorage<Holder>();
// oxlint-disable-next-line unbound-method -- called with their pool
const { use, reserve } = PostgresPool.prototype;

/** Runs a part of a test that is no part of the work around it, such as a fault: it may take another connection. */
export function outsideWork<Result>(part: () => Promise<Result>): Promise<Result> {
  return holders.exit(part);
}

/**
 * Pools of this test process have one connection for work and whatever it calls: what the work starts without waiting for it gets another one
 * when the work has ended, and what the work waits for gets an error.
 */
export function refuseSecondConnections(): void {
  PostgresPool.prototype.use = function <Result>(
    this: PostgresPool,
    work: (connection: PostgresConnection) => Promise<Result>,
  ): Promise<Result> {
    return use.call(this, async (connection) => {
      const holder = new Holder(this, holders.getStore());
      try {
        return await holders.run(holder, () => work(holder.observe(connection)));
      } finally {
        holder.hasEnded = true;
      }
    }) as Promise<Result>;
  };
  PostgresPool.prototype.reserve = async function (this: PostgresPool): Promise<ReservedConnection> {
    await holders.getStore()?.ended(this);
    return reserve.call(this);
  };
}
