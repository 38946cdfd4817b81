import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";

/**
 * For the first statement of a transaction that locks purses: a process that stops in the middle of it, frozen or without its network, blocks
 * the others for so long at most. It holds for the transaction alone, so a connection pooler does not matter.
 */
export const LIMIT_IDLE_TIME = "set_config('idle_in_transaction_session_timeout', '5s', true)";

/** A statement and its parameters. */
export type Statement = readonly [text: string, parameters: readonly unknown[]];

/** What a transaction leads to: statements to write, which are sent together with the commit, and its result. */
export interface Prepared<Result> {
  readonly statements: readonly Statement[];
  readonly result: Result;
}

/**
 * A transaction of two round trips: `read` locks and reads, and what it has prepared is written together with the commit. The head of the
 * ledger is so locked for no round trip. Where a statement fails, the commit is a rollback. Undefined: nothing is written.
 */
export function inTwoTrips<Result>(
  pool: Pick<PostgresPool, "use">,
  read: (connection: PostgresConnection) => Promise<Prepared<Result> | undefined>,
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
