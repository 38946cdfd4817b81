import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";

/**
 * For the first statement of a transaction that locks purses: a process that stops in the middle of it, frozen or without network, blocks
 * the others for 5 s at most. The setting holds only for the transaction, so it also works behind a connection pooler.
 */
export const LIMIT_IDLE_TIME = "set_config('idle_in_transaction_session_timeout', '5s', true)";

/** A statement and its parameters. */
export type Statement = readonly [text: string, parameters: readonly unknown[]];

/** The result of preparing a transaction: statements to write, which are sent together with the commit, and the transaction's result. */
export interface PreparedTransaction<Result> {
  readonly statements: readonly Statement[];
  readonly result: Result;
}

/**
 * A transaction of two round trips: `read` locks and reads, and the statements that it has prepared are written together with the commit.
 * So the head of the ledger is not locked during a round trip. If a statement fails, the commit is a rollback. If `read` returns undefined,
 * nothing is written.
 */
export function inTwoTrips<Result>(
  pool: Pick<PostgresPool, "use">,
  read: (connection: PostgresConnection) => Promise<PreparedTransaction<Result> | undefined>,
): Promise<Result | undefined> {
  return pool.use(async (connection) => {
    try {
      const [, prepared] = await Promise.all([connection.query("begin"), read(connection)]);
      const statements = prepared?.statements ?? [];
      await Promise.all([
        ...statements.map(([text, parameters]) => connection.query(text, parameters)),
        connection.query(prepared ? "commit" : "rollback"),
      ]);
      return prepared?.result;
    } catch (error) {
      await connection.query("rollback").catch(() => undefined);
      throw error;
    }
  });
}
