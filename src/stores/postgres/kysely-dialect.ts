import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import type { PostgresPool, ReservedConnection } from "./postgres-pool.ts";

type Connections = Pick<PostgresPool, "close"> & { reserve(): Promise<Pick<ReservedConnection, "query" | "release">> };

/** Kysely on the pool, or on other connections. */
export function dialectOf(connections: Connections): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PooledDriver(connections),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PooledDriver implements Driver {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new KyselyConnection(await this.#connections.reserve());
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await (connection as KyselyConnection).release();
  }

  async destroy(): Promise<void> {
    await this.#connections.close();
  }
}

class KyselyConnection implements DatabaseConnection {
  readonly #connection: Pick<ReservedConnection, "query" | "release">;

  constructor(connection: Pick<ReservedConnection, "query" | "release">) {
    this.#connection = connection;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const rows = await this.#connection.query<Record<string, unknown>>(sql, parameters.map(withoutNul));
    return { rows: rows.map(withNumbers) as Row[], numAffectedRows: BigInt(rows.count) };
  }

  async release(): Promise<void> {
    await this.#connection.release();
  }

  // oxlint-disable-next-line require-yield -- nobody asks for it
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("streams of rows are not supported");
  }
}

/** PostgreSQL has no text with a NUL, and rejects it. A filter with a NUL finds nothing. */
function withoutNul(parameter: unknown): unknown {
  return typeof parameter === "string" ? parameter.replaceAll("\0", "\uFFFD") : parameter;
}

/** The tables of the platform have no integers beyond 2^53, because amounts are text. */
function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = toNumber(name, value);
  }
  return row;
}

function toNumber(name: string, value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${name} is ${value}, which a number cannot hold`);
  return number;
}
