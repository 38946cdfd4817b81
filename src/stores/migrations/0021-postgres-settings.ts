import { sql, type Kysely } from "kysely";

/** What all processes of a database have in common, such as checks of the secrets that they share. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table shared_settings (name text primary key, value text not null)`.execute(database);
}
