import { sql, type Kysely } from "kysely";

/** The alerts that were raised, with their end and their acknowledgement; and channels beside webhooks. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table raised_alerts (id text primary key, kind text not null, at_ms bigint not null, data text not null,
    account_id text, key_id text, upstream text, model text, resolved_at_ms bigint, acknowledged_at_ms bigint, acknowledged_by text,
    acknowledged_by_name text)`.execute(database);
  await sql`create index raised_alerts_at on raised_alerts (at_ms, id)`.execute(database);
  // The console counts them every few seconds.
  await sql`create index raised_alerts_open on raised_alerts (at_ms, id)
    where resolved_at_ms is null and acknowledged_at_ms is null`.execute(database);
  // The alert that is over when the mark is removed. Alerts that were raised before are not listed.
  await database.schema.alterTable("alert_marks").addColumn("alert_id", "text").execute();
  await database.schema.alterTable("alert_marks").addColumn("alert_kind", "text").execute();
  await database.schema
    .alterTable("webhooks")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("webhook"))
    .execute();
}
