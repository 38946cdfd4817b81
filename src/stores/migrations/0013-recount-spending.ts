import { sql, type Kysely } from "kysely";

/**
 * Adds up again, from the entries, what each account and key has spent in the latest day and month of a charge. Earlier versions lost it,
 * or counted it for another day, when the clock was set back. Dollars and nanos are added up apart, so that no sum overflows.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create temporary table spent (scope text, id text, day integer, month integer, nanos bigint, primary key (scope, id, day))
    without rowid`.execute(database);
  for (const scope of ["account", "key"]) {
    await sql`insert into spent select ${sql.lit(scope)}, ${sql.ref(`${scope}_id`)}, at_ms / 86400000 as day,
      strftime('%Y', at_ms / 1000, 'unixepoch') * 12 + strftime('%m', at_ms / 1000, 'unixepoch') - 1,
      sum(amount_nanos / 1000000000) * 1000000000 + sum(amount_nanos % 1000000000) from entries not indexed
      where kind = 'settle' and id <= (select as_of_id from tallied) group by 2, 3`.execute(database);
  }
  await sql`update tallies set day = latest.day, month = latest.month, day_nanos = latest.nanos,
    month_nanos = (select sum(nanos) from spent where scope = tallies.scope and id = tallies.id and month = latest.month)
    from (select scope, id, max(day) as day, month, nanos from spent group by scope, id) as latest
    where latest.scope = tallies.scope and latest.id = tallies.id`.execute(database);
  await sql`drop table spent`.execute(database);
}
