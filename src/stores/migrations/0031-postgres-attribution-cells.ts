import { sql, type Kysely } from "kysely";

/**
 * Rollups of usage by end user, conversation and tag in packed rows, in the place of a row for each sum: see
 * stores/ledger/postgres-records/attribution. They have a watermark of their own, so all entries are added up again in the background. An owner is a
 * dimension of an account, whose names are numbered. Processes of versions before 0029 do not know the tables that are dropped.
 */
const STATEMENTS = [
  "drop table attribution_sums",
  "drop table attribution_tags",
  "create table attribution_owners (id integer primary key, account_id text not null, dimension text not null, unique (account_id, dimension))",
  "create table attribution_names (owner integer not null, number integer not null, name text not null, primary key (owner, number))",
  // Not unique: the names of erased end users are all the same.
  "create index attribution_names_name on attribution_names (owner, name)",
  `create table attribution_cells (owner integer not null, grain text not null, slot bigint not null, part integer not null,
    cells bytea not null, figures integer not null, primary key (owner, grain, slot, part))`,
  // They are small already, and compressed at each update they would take longer to write.
  "alter table attribution_cells alter column cells set storage external",
  "create table attribution_rolled (single integer primary key check (single = 1), as_of_id bigint not null)",
  "insert into attribution_rolled values (1, 0)",
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}
