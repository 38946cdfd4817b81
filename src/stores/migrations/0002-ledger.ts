import { sql, type Kysely } from "kysely";

/** Accounts, and keys that belong to them. Keys made before there were accounts belong to the default one. */
async function addAccounts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("limits", "text", (column) => column.notNull())
    .addColumn("caps", "text", (column) => column.notNull())
    .execute();
  for (const [name, fallback] of [
    ["account_id", "default"],
    ["limits", "{}"],
    ["caps", "{}"],
  ] as const) {
    await database.schema
      .alterTable("keys")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(fallback))
      .execute();
  }
}

async function addEntries(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("entries")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("amount_nanos", "bigint", (column) => column.notNull())
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("reference", "text")
    .addColumn("request_id", "text")
    .addColumn("hold_id", "integer")
    .addColumn("key_id", "text")
    .addColumn("model", "text")
    .addColumn("price_version", "text")
    .addColumn("uncharged_nanos", "bigint")
    .addColumn("prompt_tokens", "bigint")
    .addColumn("cached_tokens", "bigint")
    .addColumn("cache_write_tokens", "bigint")
    .addColumn("completion_tokens", "bigint")
    .addColumn("reasoning_tokens", "bigint")
    .addColumn("provenance", "text")
    .addColumn("upstream", "text")
    .addColumn("attempts", "integer")
    .execute();
  // Indexes are most of what an entry costs, so they leave holds out: each is found through the entry that ended it.
  // A request is charged or released once, whatever the code believes.
  await sql`create unique index entries_closing on entries (request_id) where kind in ('settle', 'release')`.execute(database);
  await sql`create unique index entries_reference on entries (account_id, reference) where reference is not null`.execute(database);
  await sql`create index entries_account on entries (account_id, id) where kind <> 'hold'`.execute(database);
}

/** What follows from the entries, or belongs to them, and would take long to find out anew. */
async function addBesideEntries(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("prices")
    .addColumn("version", "text", (column) => column.primaryKey())
    .addColumn("effective_at_ms", "bigint", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("rates", "text", (column) => column.notNull())
    .addColumn("tiers", "text", (column) => column.notNull())
    .execute();
  await sql`create table tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid`.execute(database);
  await sql`create table tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null)`.execute(
    database,
  );
  await sql`create table progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid`.execute(
    database,
  );
  await sql`create table answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text)`.execute(database);
  await sql`create index answers_age on answers (at_ms)`.execute(database);
}

export async function up(database: Kysely<unknown>): Promise<void> {
  await addAccounts(database);
  await addEntries(database);
  await addBesideEntries(database);
}
