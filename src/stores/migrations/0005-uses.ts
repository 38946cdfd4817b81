import { sql, type Kysely } from "kysely";

/** The text of a key that a rotation replaced, and until when it works. */
async function addRotation(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("keys").addColumn("previous_hash", "text").execute();
  await database.schema.alterTable("keys").addColumn("previous_works_until_ms", "bigint").execute();
}

/** The models that an account's keys may call at all. Accounts from before have no such bounds. */
async function addAllowLists(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("accounts")
    .addColumn("models", "text", (column) => column.notNull().defaultTo('["*"]'))
    .execute();
}

async function addUses(database: Kysely<unknown>): Promise<void> {
  await sql`create table key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid`.execute(database);
  await sql`create table model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid`.execute(database);
}

export async function up(database: Kysely<unknown>): Promise<void> {
  await addRotation(database);
  await addAllowLists(database);
  await addUses(database);
}
