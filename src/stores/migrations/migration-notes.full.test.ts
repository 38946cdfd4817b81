import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { PostgresServer } from "../../../test/support/postgres/start-postgres.ts";
import { ChangeFeed } from "../postgres/change-feed.ts";
import { PostgresDatabase } from "../postgres/postgres-database.ts";
import { PostgresPool } from "../postgres/postgres-pool.ts";
import { MIGRATION_NOTES } from "./migration-notes.ts";
import { POSTGRES_MIGRATIONS } from "./migrate.ts";

test("every migration of PostgreSQL has a note", () => {
  expect(Object.keys(MIGRATION_NOTES)).toEqual(Object.keys(POSTGRES_MIGRATIONS));
});

/** Locked tables that existed before. Ignores the locks of reads and writes, which block no other reads and writes. */
const LOCKED = `select distinct c.relname::text as name from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock') and c.oid = any($1::oid[])`;

describe.skipIf(!hasPostgres)("a migration", () => {
  let server: PostgresServer;
  let pool: PostgresPool;
  let database: PostgresDatabase;

  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new PostgresPool({ url: await server.createDatabase(), maxConnections: 2, timeoutMs: 30_000 });
    database = new PostgresDatabase(pool, new ChangeFeed({ pool, monotonicMs: () => 0, report: () => undefined }));
  });

  afterAll(async () => {
    await database?.destroy();
    await server?.stop();
  });

  for (const [name, migration] of Object.entries(POSTGRES_MIGRATIONS)) {
    test(`${name} locks no table, unless its note says so`, async () => {
      const tables = await pool.query<{ oid: number }>(
        "select oid::integer as oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
      );
      const locked = await database.transaction().execute(async (transaction) => {
        await migration.up(transaction);
        const oids = sql.lit(`{${tables.map(({ oid }) => oid).join(",")}}`);
        return (
          await sql<{ name: string }>`${sql.raw(LOCKED.split("$1")[0]!)}${oids}${sql.raw(LOCKED.split("$1")[1]!)}`.execute(transaction)
        ).rows;
      });
      const { isRolling, locks } = MIGRATION_NOTES[name]!;
      if (isRolling && locks.startsWith("none")) expect(locked).toEqual([]);
      else for (const table of locked) expect(locks).toContain(table.name);
    });
  }
});
