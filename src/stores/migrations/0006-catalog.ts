import { sql, type Kysely } from "kysely";

/** Models and upstreams that operators made by the platform, and what was announced of every model. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null)`.execute(
    database,
  );
  await sql`create table models (id text primary key, declared text not null, created_at_ms bigint not null)`.execute(database);
  await sql`create table announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null)`.execute(database);
  await sql`create index announcements_model on announcements (model, id)`.execute(database);
}
