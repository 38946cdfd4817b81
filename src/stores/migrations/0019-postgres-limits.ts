import { sql, type Kysely } from "kysely";

/**
 * Rate limits in PostgreSQL. What counts is unlogged: a crash of the server empties it, and the head with it, so that every process learns of it
 * and states what it has counted. The processes are logged: who has to state itself survives.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const statements = [
    // The authority's time: no two machines' clocks are compared.
    "create or replace function authority_now() returns timestamptz language sql volatile as 'select clock_timestamp()'",
    `create unlogged table limit_head (single integer primary key check (single = 1), nonce text not null,
      ready_at timestamptz not null, seen_before timestamptz)`,
    // Rows are updated often: room in their pages keeps the updates out of the index.
    `create unlogged table limit_scopes (kind text not null, id text not null, state text not null default '',
      is_busy boolean not null default false, changed_at timestamptz not null default authority_now(), primary key (kind, id))
      with (fillfactor = 50)`,
    "create unlogged table limit_recalls (process_id text not null, lease bigint not null, primary key (process_id, lease))",
    `create table limit_processes (id text primary key, nonce text not null, seen_at timestamptz not null, void_lease bigint not null)
      with (fillfactor = 50)`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
}
