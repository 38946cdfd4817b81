import { sql, type Kysely } from "kysely";

/** Who may sign in, who is signed in, and what acts for them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint)`.execute(database);
  await sql`create index people_age on people (created_at_ms, id)`.execute(database);
  await sql`create unique index people_identity on people (issuer, subject) where issuer is not null`.execute(database);
  await sql`create table sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text)`.execute(database);
  await sql`create table access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint)`.execute(database);
}
