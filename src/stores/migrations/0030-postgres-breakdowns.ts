import { sql, type Kysely } from "kysely";

/**
 * The breakdowns whose charges are counted for each end user or value of a tag, in `purses`. A process that adds entries must know all of them: the
 * head of the ledger has the version of the list.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const statements = [
    "create table counted_breakdowns (id text primary key)",
    "alter table ledger_head add column breakdowns_version bigint not null default 0",
    `create function require_breakdowns(known bigint, current bigint) returns boolean language plpgsql as $$
      begin
        if known <> current then raise exception 'other breakdowns are counted' using errcode = 'TG001'; end if;
        return true;
      end $$`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
}
