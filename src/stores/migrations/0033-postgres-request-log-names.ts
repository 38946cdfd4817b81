import { sql, type Kysely } from "kysely";

/** A Bloom filter of the end users, conversations and tags of each complete chunk of the request log; null for a chunk that must be read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table request_log_names (day text not null, chunk bigint not null, bits bytea, primary key (day, chunk))`.execute(
    database,
  );
}
