import { sql, type Kysely } from "kysely";

/**
 * Tags with rollups are limited per account and day: the limit was for ever before, so that one client with many tags ended the reports of all tags that came later.
 * The index of series has their names, so that a report by name does not look up each series.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table attribution_tag_days (account_id text not null, day integer not null, tag text not null,
    primary key (account_id, day, tag)) without rowid`.execute(database);
  await sql`insert into attribution_tag_days (account_id, day, tag) select distinct tags.account_id, sums.slot, tags.tag
    from attribution_tags as tags cross join attribution_sums as sums
    where sums.grain = 'day' and sums.owner = 'tag:' || tags.tag || '/' || tags.account_id`.execute(database);
  await sql`drop table attribution_tags`.execute(database);
  await sql`drop index attribution_series_part`.execute(database);
  await sql`create index attribution_series_part on attribution_series (owner, part, name)`.execute(database);
}
