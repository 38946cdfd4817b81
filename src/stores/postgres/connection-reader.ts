import { Kysely, type Compilable } from "kysely";
import type { RecordReader, Tables } from "../database.ts";
import { dialectOf } from "./kysely-dialect.ts";
import type { PostgresConnection } from "./postgres-pool.ts";

/** The platform's tables, over a connection that the caller has taken and releases. */
export class ConnectionReader extends Kysely<Tables> implements RecordReader {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    const lent = { query: connection.query.bind(connection), release: async () => undefined };
    super({ dialect: dialectOf({ reserve: async () => lent, close: async () => undefined }) });
    this.#connection = connection;
  }

  async write(...statements: readonly Compilable[]): Promise<void> {
    if (statements.length === 0) return;
    try {
      await Promise.all([this.#connection.query("begin"), run(this.#connection, statements)]);
      await this.#connection.query("commit");
    } catch (error) {
      await this.#connection.query("rollback").catch(() => undefined);
      throw error;
    }
  }
}

export async function run(connection: PostgresConnection, statements: readonly Compilable[]): Promise<void> {
  const queries = statements.map((statement) => statement.compile());
  await Promise.all(queries.map(({ sql, parameters }) => connection.query(sql, parameters)));
}
