import { sql, type Kysely } from "kysely";

/** What the charges of a process survive. Processes of the version before do not know the column: their charges may be in a journal alone. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column durability text not null default 'process'`.execute(database);
}
