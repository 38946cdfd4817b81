import type { Compilable } from "kysely";
import { Database, type PreparedWrite, type RecordCache, type RecordKind } from "../database.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { run } from "./connection-reader.ts";
import { dialectOf } from "./kysely-dialect.ts";
import type { PostgresConnection, PostgresPool } from "./postgres-pool.ts";

/**
 * The platform's tables in PostgreSQL. Over all processes, only one change of records in memory is made at a time: under the lock of the
 * feed's head, after the process has caught up with the feed.
 */
export class PostgresDatabase extends Database {
  readonly #pool: PostgresPool;
  readonly #feed: ChangeFeed;
  /** The last change of this process. The next change waits for it without a connection. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: PostgresPool, feed: ChangeFeed) {
    super({ dialect: dialectOf(pool) });
    this.#pool = pool;
    this.#feed = feed;
  }

  async write(...statements: readonly Compilable[]): Promise<void> {
    if (statements.length > 0) await this.#pool.transaction((connection) => run(connection, statements));
  }

  change<Made extends object | undefined>(
    kind: RecordKind,
    ids: readonly string[],
    make: () => Made,
    prepare: (made: NonNullable<Made>) => PreparedWrite,
  ): Promise<Made> {
    const changing = this.#last.then(() => this.#change(kind, ids, make, prepare));
    this.#last = changing.catch(() => undefined);
    return changing;
  }

  refresh(): Promise<void> {
    return this.#feed.refresh().catch(() => undefined);
  }

  cache(kind: RecordKind, cache: RecordCache): Promise<void> {
    return this.#feed.register(kind, cache);
  }

  async #change<Made extends object | undefined>(
    kind: RecordKind,
    ids: readonly string[],
    make: () => Made,
    prepare: (made: NonNullable<Made>) => PreparedWrite,
  ): Promise<Made> {
    let prepared: PreparedWrite | undefined;
    let leave: (() => void) | undefined;
    try {
      const { made, position } = await this.#withReading(async (connection, reading) => {
        // The feed is also read while this process waits for the changes of others: otherwise it would lose its right to admit requests.
        const head = await this.#feed.lock(connection);
        leave = await this.#feed.enter();
        await this.#feed.catchUp(head, reading);
        const result = make();
        if (!result) return { made: result, position: head };
        prepared = prepare(result);
        await run(connection, prepared.statements);
        const changed = [{ kind, ids }, ...(prepared.alsoChanged ?? [])];
        return { made: result, position: await this.#feed.append(connection, head, changed) };
      });
      prepared?.apply();
      this.#feed.advance(position);
      return made;
    } catch (error) {
      // If the database was not reached at all, the part of the change that must hold in this process is made from the records in memory.
      (prepared ?? prepareFrom(make, prepare))?.applyUnwritten?.();
      throw error;
    } finally {
      leave?.();
    }
  }

  /**
   * Takes both connections before the transaction locks anything. Changes are made one at a time, so each change gets its second
   * connection.
   */
  async #withReading<Result>(work: (connection: PostgresConnection, reading: PostgresConnection) => Promise<Result>): Promise<Result> {
    const reading = await this.#pool.reserve();
    try {
      return await this.#pool.transaction((connection) => work(connection, reading));
    } finally {
      await reading.release();
    }
  }
}

function prepareFrom<Made extends object | undefined>(
  make: () => Made,
  prepare: (made: NonNullable<Made>) => PreparedWrite,
): PreparedWrite | undefined {
  try {
    const made = make();
    return made && prepare(made);
  } catch {
    // The caller gets the first error.
    return undefined;
  }
}
