import { sql, type Kysely } from "kysely";

/**
 * The request log in PostgreSQL: the days that have tables of their own, with the number of their last row and of the last one that is in
 * their sums; the newest day with requests, in one row that every write locks; and the last batch of each writer.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [
    "create table request_log_days (day text primary key, last_row bigint, summed_row bigint)",
    "create table request_log_head (single integer primary key check (single = 1), newest text not null)",
    "insert into request_log_head values (1, '')",
    "create table request_log_writers (day text not null, writer text not null, batch bigint not null, primary key (day, writer))",
    "create table leaders (job text primary key, instance_id text not null, until timestamptz not null)",
  ]) {
    await sql.raw(statement).execute(database);
  }
}
