import { beforeAll } from "bun:test";
import type { Tables } from "../../../src/stores/database.ts";
import type { OpenPostgres } from "../../../src/stores/postgres/open-postgres.ts";
import { postgresFixture } from "./postgres-fixture.ts";

/** Tables of the platform. The change feed continues from test to test. */
const TABLES: Readonly<Record<keyof Tables, true>> = {
  access_tokens: true,
  accounts: true,
  alert_marks: true,
  alerts: true,
  announcements: true,
  changes: true,
  declared_file: true,
  deliveries: true,
  discovered_models: true,
  key_hours: true,
  keys: true,
  models: true,
  price_lists: true,
  endpoints: true,
  prices: true,
  raised_alerts: true,
  upstreams: true,
  people: true,
  saved_views: true,
  sessions: true,
  key_uses: true,
  model_uses: true,
  webhooks: true,
};

/** A database for all tests of the enclosing `describe`, with processes that use it. Each test starts with `empty`. */
export class EmptyDatabase {
  readonly #processes: OpenPostgres[] = [];

  /** Call it in a `describe` that is skipped if PostgreSQL is not installed. */
  constructor(processes = 1) {
    const postgres = postgresFixture();
    beforeAll(async () => {
      const { url, ...first } = await postgres.open();
      this.#processes.push(first);
      while (this.#processes.length < processes) this.#processes.push(await postgres.open(url));
    });
  }

  process(at = 0): OpenPostgres {
    return this.#processes[at]!;
  }

  /** Deletes all rows, including the audit log's. */
  async empty(): Promise<void> {
    await this.process().pool.transaction(async (connection) => {
      await connection.query("set local session_replication_role = replica");
      await Promise.all(Object.keys(TABLES).map((table) => connection.query(`delete from ${table}`)));
    });
  }

  /** Sets whether these tables can be written, by any process. */
  async setWritable(isWritable: boolean, ...tables: readonly (keyof Tables)[]): Promise<void> {
    const { pool } = this.process();
    await pool.query(`create or replace function refuse_write() returns trigger language plpgsql as
      $$ begin raise exception 'read-only' using errcode = 'read_only_sql_transaction'; end $$`);
    for (const table of tables) {
      await pool.query(
        isWritable
          ? `drop trigger refuse_write on ${table}`
          : `create trigger refuse_write before insert or update or delete on ${table} for each statement execute function refuse_write()`,
      );
    }
  }

  /** Every process reads the changes of the others. */
  async refresh(): Promise<void> {
    await Promise.all(this.#processes.map(({ feed }) => feed.refresh()));
  }
}
