import { SQL, type ReservedSQL } from "bun";
import type { Secret } from "../../lib/secret/secret.ts";
import { StorageUnavailable, type StorageProblem } from "../../requests/storage-unavailable.ts";

export interface PoolOptions {
  /** `postgres://…`, with the TLS mode and other settings as parameters. */
  readonly url: Secret;
  readonly maxConnections: number;
  /** The maximum time of a statement, and of a caller's wait for a free connection. */
  readonly timeoutMs: number;
}

/** Runs statements on one connection. */
export interface PostgresConnection {
  /**
   * Runs a statement and returns its rows. `int8` values are `bigint`. Statements that are started without awaiting the previous one are
   * pipelined.
   */
  query<Row>(text: string, parameters?: readonly unknown[]): Promise<Rows<Row>>;
}

export type Rows<Row> = readonly Row[] & { readonly count: number };

/**
 * Connections to PostgreSQL. Every statement has a time limit: a server that has lost its network never answers, and the client library has
 * no limit. A connection that exceeds the limit is closed, not reused. Throws `StorageUnavailable`.
 */
export class PostgresPool {
  readonly #sql: SQL;
  readonly #timeoutMs: number;

  constructor({ url, maxConnections, timeoutMs }: PoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#sql = new SQL({
      url: url.reveal(),
      adapter: "postgres",
      max: maxConnections,
      bigint: true,
      connectionTimeout: timeoutMs / 1000,
      idleTimeout: 300,
    });
  }

  query<Row>(text: string, parameters: readonly unknown[] = []): Promise<Rows<Row>> {
    return this.use((connection) => connection.query<Row>(text, parameters));
  }

  /** Runs `work` in one transaction. If it throws, nothing is written. */
  transaction<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    return this.use(async (connection) => {
      try {
        // Pipelined with the first statement of the work. A process that stops within the transaction, such as on a suspended machine,
        // loses its locks.
        const beginning = [
          connection.query("begin"),
          connection.query(`set local idle_in_transaction_session_timeout = ${this.#timeoutMs}`),
        ];
        const [result] = await Promise.all([work(connection), ...beginning]);
        await connection.query("commit");
        return result;
      } catch (error) {
        await connection.query("rollback").catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Runs `work` with a connection. `work` must not wait for a second connection of the pool: all callers with the other connections may be
   * waiting for a lock that this connection holds. Tests check this.
   */
  async use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.reserve();
    try {
      return await work(connection);
    } finally {
      await connection.release();
    }
  }

  /** Takes a connection. The caller releases it. */
  async reserve(): Promise<ReservedConnection> {
    try {
      const reserved = await this.#sql.reserve({ signal: AbortSignal.timeout(this.#timeoutMs) });
      return new ReservedConnection(reserved, this.#timeoutMs);
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  /** Listens on a channel, on a separate connection that is opened again if it is lost. `listening` is called each time it is open. */
  async listen(channel: string, notified: (payload: string) => void, listening: () => void): Promise<void> {
    await this.#sql.listen(channel, notified, listening);
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: this.#timeoutMs / 1000 });
  }
}

/** A connection for a single caller. */
export class ReservedConnection implements PostgresConnection {
  readonly #reserved: ReservedSQL;
  readonly #timeoutMs: number;
  /** A statement was not answered: its answer may still arrive. */
  #isLost = false;

  constructor(reserved: ReservedSQL, timeoutMs: number) {
    this.#reserved = reserved;
    this.#timeoutMs = timeoutMs;
  }

  async query<Row>(text: string, parameters: readonly unknown[] = []): Promise<Rows<Row>> {
    if (this.#isLost) throw toUnavailable(new QueryTimeout(this.#timeoutMs));
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#isLost = true;
      reject(new QueryTimeout(this.#timeoutMs));
    }, this.#timeoutMs);
    try {
      return await Promise.race([this.#reserved.unsafe<Rows<Row>>(text, parameters as unknown[]), late]);
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the connection to the pool. If a transaction is open, or a statement was not answered, it is closed instead. */
  async release(): Promise<void> {
    if (this.#isLost) await this.#reserved.close({ timeout: 0 }).catch(() => undefined);
    else await this.#reserved.release();
  }
}

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of errors that the statement has not caused. */
const PROBLEMS: readonly [state: RegExp, problem: StorageProblem][] = [
  [/^53100/, "full"],
  // Also a standby that the address points to after a failover.
  [/^25006/, "read-only"],
  // A lock or statement timeout, a deadlock, a serialization failure.
  [/^(55P03|57014|40P01|40001)/, "locked"],
  // Connection errors, too many connections, a server that starts or stops, and a transaction that took too long.
  [/^(08|53|57P|25P03)/, "unreachable"],
  [/^(58|XX001)/, "failing"],
];

/** A statement that was not answered in time. */
class QueryTimeout extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "QueryTimeout";
  }
}

/** The error as `StorageUnavailable` if the database cannot be used at the moment, otherwise unchanged. */
function toUnavailable(error: unknown): unknown {
  if (error instanceof QueryTimeout || isAborted(error)) return new StorageUnavailable("unreachable", { cause: error });
  if (!(error instanceof SQL.PostgresError)) return error;
  const { errno: state } = error;
  // Errors without an SQLSTATE come from the client: the connection failed, or has ended.
  const problem = state === undefined ? "unreachable" : PROBLEMS.find(([pattern]) => pattern.test(state))?.[1];
  return problem ? new StorageUnavailable(problem, { cause: error }) : error;
}

/** No connection of the pool was free in time. */
function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
