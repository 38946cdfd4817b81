import { sql, type Kysely } from "kysely";

/** Who is told of what, and what becomes of it. */
async function addDeliveries(database: Kysely<unknown>): Promise<void> {
  await sql`create table webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null)`.execute(database);
  await sql`create table alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null)`.execute(database);
  await sql`create table deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null)`.execute(database);
  await sql`create index deliveries_webhook on deliveries (webhook_id, id)`.execute(database);
  await sql`create index deliveries_alert on deliveries (alert_id)`.execute(database);
  // What has ended is by far the most, and nobody looks for the next try of that.
  await sql`create index deliveries_pending on deliveries (webhook_id, next_try_at_ms) where state = 'pending'`.execute(database);
  // What has ended is forgotten from its oldest on.
  await sql`create index deliveries_ended on deliveries (webhook_id, created_at_ms) where state != 'pending'`.execute(database);
  await sql`create index alerts_at on alerts (at_ms)`.execute(database);
}

/** What has been told and is not over, and what keys spend in an hour. */
async function addWatch(database: Kysely<unknown>): Promise<void> {
  await sql`create table alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid`.execute(
    database,
  );
  await sql`create table key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid`.execute(database);
  await database.schema.alterTable("accounts").addColumn("low_credit_nanos", "text").execute();
}

export async function up(database: Kysely<unknown>): Promise<void> {
  await addDeliveries(database);
  await addWatch(database);
}
