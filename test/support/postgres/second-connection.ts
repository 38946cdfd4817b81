import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresPool, type PostgresConnection, type ReservedConnection, type Rows } from "../../../src/stores/postgres/postgres-pool.ts";

/** Turns of the event loop with no statement in flight. After these, the work waits only for the second connection. */
const IDLE_TURNS = 20;
const TURN_MS = 25;

/** Work that uses a connection of a pool. */
class Holder {
  readonly #pool: PostgresPool;
  readonly #outer: Holder | undefined;
  hasEnded = false;
  /** The number of statements in flight, and of sent statements. */
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

  /** Resolves when the work that has a connection of this pool has ended. Throws if that work waits for the caller. */
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

/** Work that has a connection of a pool waits for another one. If all callers do this, none gets a connection. */
export class SecondConnection extends Error {
  constructor() {
    super("a transaction waits for a second connection of its pool: use its own connection");
    this.name = "SecondConnection";
  }
}

const holders = new AsyncLocalStorage<Holder>();
// oxlint-disable-next-line unbound-method -- called with their pool
const { use, reserve } = PostgresPool.prototype;

/** Runs a part of a test that does not belong to the work around it, such as a fault: it may use another connection. */
export function outsideWork<Result>(part: () => Promise<Result>): Promise<Result> {
  return holders.exit(part);
}

/**
 * In this test process, pools have one connection for work and the code that it calls. Work that is started without waiting gets another
 * connection after the first work has ended. Work that is waited for gets an error.
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
