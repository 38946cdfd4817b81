import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";

/** Runs queries that all see the database as of one moment. */
export function readSnapshot<Result>(pool: PostgresPool, work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
  return pool.transaction(async (connection) => {
    const isolated = connection.query("set transaction isolation level repeatable read, read only");
    const [, result] = await Promise.all([isolated, work(connection)]);
    return result;
  });
}
