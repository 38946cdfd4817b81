import { sql, type Kysely } from "kysely";

/** The ledger in PostgreSQL: entries as in SQLite, and the credit that gateway processes share. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addEntries(database);
  await addPurses(database);
  await addInstances(database);
  await addReplies(database);
}

async function run(database: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database);
}

/** Ids are taken from the head, which is locked last in a transaction: they have no gaps and are in the order of the commits. */
async function addEntries(database: Kysely<unknown>): Promise<void> {
  await run(database, [
    `create table entries (id bigint primary key, account_id text not null, kind text not null, amount_nanos bigint not null,
      at_ms bigint not null, actor text not null, reason text not null, reference text, request_id text, hold_id bigint, key_id text,
      model text, price_version text, uncharged_nanos bigint, prompt_tokens bigint, cached_tokens bigint, cache_write_tokens bigint,
      completion_tokens bigint, reasoning_tokens bigint, provenance text, upstream text, upstream_model text, cost_version text,
      attempts integer, failed_attempts text, instance_id text, seq bigint)`,
    "create unique index entries_closing on entries (request_id) where kind in ('settle', 'release')",
    "create unique index entries_reference on entries (account_id, reference) where reference is not null",
    "create index entries_account on entries (account_id, id) where kind <> 'hold'",
    "create table ledger_head (single integer primary key check (single = 1), last_id bigint not null)",
    "insert into ledger_head values (1, 0)",
  ]);
}

/**
 * A row for every account and key that has had a charge, a lease or credit. Day and month are the two latest with a charge. Rows are updated
 * often: room in their pages keeps the updates out of the indexes.
 */
async function addPurses(database: Kysely<unknown>): Promise<void> {
  await run(database, [
    `create table purses (scope text not null, id text not null, credit_nanos bigint not null default 0,
      leased_nanos bigint not null default 0 check (leased_nanos >= 0), day integer not null default 0, day_nanos bigint not null default 0,
      month integer not null default 0, month_nanos bigint not null default 0, total_nanos bigint not null default 0,
      previous_day integer not null default 0, previous_day_nanos bigint not null default 0, previous_month integer not null default 0,
      previous_month_nanos bigint not null default 0, is_short boolean not null default false, primary key (scope, id))
      with (fillfactor = 50)`,
    `create table leases (scope text not null, id text not null, instance_id text not null, nanos bigint not null check (nanos >= 0),
      primary key (scope, id, instance_id)) with (fillfactor = 50)`,
    "create index leases_instance on leases (instance_id)",
    `create table recalls (instance_id text not null, scope text not null, id text not null, asked_at timestamptz not null,
      primary key (instance_id, scope, id))`,
  ]);
}

/** The gateway processes, and their holds whose end is not in the ledger. A process that was not seen for a while is lost, without a write. */
async function addInstances(database: Kysely<unknown>): Promise<void> {
  await run(database, [
    // The authority's time: no two machines' clocks are compared.
    "create function authority_now() returns timestamptz language sql volatile as 'select clock_timestamp()'",
    `create table instances (id text primary key, epoch bigint not null, applied_seq bigint not null,
      state text not null check (state in ('live', 'written_off', 'closed')), joined_at timestamptz not null, seen_at timestamptz not null)
      with (fillfactor = 50)`,
    `create table open_holds (request_id text primary key, instance_id text not null, hold_id bigint not null, account_id text not null,
      key_id text not null, amount_nanos bigint not null, progress text)`,
    "create index open_holds_instance on open_holds (instance_id)",
  ]);
}

async function addReplies(database: Kysely<unknown>): Promise<void> {
  await run(database, [
    `create table answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
      headers text not null, body text)`,
    "create index answers_age on answers (at_ms)",
    `create table claims (scope text primary key, digest text not null, request_id text not null, instance_id text not null,
      expires_at timestamptz not null)`,
    "create index claims_instance on claims (instance_id)",
  ]);
}
