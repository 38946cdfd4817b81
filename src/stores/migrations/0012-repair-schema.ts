import { sql, type Kysely } from "kysely";

/**
 * Repairs data folders of earlier versions: 0003, 0009 and 0010 were edited after they had run, so the schema of a folder depended on
 * the version that created it. After this every folder has the schema of a new one. Since then no migration is edited:
 * `checksums.json` holds the checksum of each.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await completeAuditLog(database);
  await completeDeliveries(database);
  if (!(await hasCurrentRollups(database))) await replaceRollups(database);
}

async function completeAuditLog(database: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists changes_actor on changes (actor, id)`.execute(database);
  await sql`create index if not exists changes_action on changes (action, id)`.execute(database);
  await sql`create index if not exists changes_account on changes (account_id, id)`.execute(database);
  await sql`create trigger if not exists changes_no_replace before insert on changes when exists (select 1 from changes where id = new.id
      or (new.idempotency_key is not null and actor = new.actor and idempotency_key = new.idempotency_key))
    begin select raise(abort, 'the audit log is append-only'); end`.execute(database);
}

async function completeDeliveries(database: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists deliveries_ended on deliveries (webhook_id, created_at_ms) where state != 'pending'`.execute(
    database,
  );
  await sql`create index if not exists alerts_at on alerts (at_ms)`.execute(database);
}

/** The first version had no `part`; the second kept large rows within the tree of the key. */
async function hasCurrentRollups(database: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`select 1 from pragma_table_info('usage_series') as columns, pragma_table_list('usage_sums') as tables
    where columns.name = 'part' and tables.wr = 0`.execute(database);
  return rows.length > 0;
}

/** Empty: without a row in `usage_rolled` the entries are added up from the first one on, in the background. */
async function replaceRollups(database: Kysely<unknown>): Promise<void> {
  for (const table of ["usage_series", "usage_sums", "usage_rolled"]) await sql`drop table ${sql.table(table)}`.execute(database);
  await sql`create table usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream))`.execute(database);
  await sql`create index usage_series_part on usage_series (account_id, part)`.execute(database);
  await sql`create table usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part))`.execute(database);
  await sql`create table usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid`.execute(database);
}
