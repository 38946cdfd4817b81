import { sql, type Kysely } from "kysely";

/** Who changed what. Triggers, not manners, keep it as it was written. */
async function addChanges(database: Kysely<unknown>): Promise<void> {
  await sql`create table changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text)`.execute(database);
  await sql`create index changes_target on changes (target_kind, target_id, id)`.execute(database);
  await sql`create unique index changes_creation on changes (actor, idempotency_key) where idempotency_key is not null`.execute(database);
  await sql`create index changes_actor on changes (actor, id)`.execute(database);
  await sql`create index changes_action on changes (action, id)`.execute(database);
  await sql`create index changes_account on changes (account_id, id)`.execute(database);
  // An insert can replace as well, and then asks neither of the other two.
  await sql`create trigger changes_no_replace before insert on changes when exists (select 1 from changes where id = new.id
      or (new.idempotency_key is not null and actor = new.actor and idempotency_key = new.idempotency_key))
    begin select raise(abort, 'the audit log is append-only'); end`.execute(database);
  for (const verb of ["update", "delete"]) {
    await sql`create trigger ${sql.ref(`changes_no_${verb}`)} before ${sql.raw(verb)} on changes
      begin select raise(abort, 'the audit log is append-only'); end`.execute(database);
  }
}

export async function up(database: Kysely<unknown>): Promise<void> {
  await addChanges(database);
  await sql`create index keys_age on keys (created_at_ms, id)`.execute(database);
  await sql`create index keys_account on keys (account_id, created_at_ms, id)`.execute(database);
}
