import { SQL } from "bun";
import type { Cluster } from "../support/gateway/start-cluster.ts";

/**
 * Counts in the database, from now on, how many times one process takes over a job from another. Returns a function that reads the count.
 */
export async function countTakeovers({ url }: Pick<Cluster, "url">, job: string): Promise<() => Promise<number>> {
  await withDatabase(url.reveal(), async (sql) => {
    await sql`create table takeovers (job text)`;
    await sql`create function note_takeover() returns trigger language plpgsql as
      $$ begin insert into takeovers values (new.job); return new; end $$`;
    await sql`create trigger note_takeover after update on leaders for each row
      when (old.instance_id <> new.instance_id) execute function note_takeover()`;
  });
  return () => withDatabase(url.reveal(), async (sql) => (await sql`select from takeovers where job = ${job}`).length);
}

/** Counts in the database, from now on, how many times one process takes over a job from another whose lease has not ended. */
export async function countEarlyTakeovers({ url }: Pick<Cluster, "url">): Promise<() => Promise<number>> {
  await withDatabase(url.reveal(), async (sql) => {
    await sql`create table early_takeovers (job text)`;
    await sql`create function note_early_takeover() returns trigger language plpgsql as
      $$ begin insert into early_takeovers values (new.job); return new; end $$`;
    await sql`create trigger note_early_takeover after update on leaders for each row
      when (old.instance_id <> new.instance_id and old.until > clock_timestamp()) execute function note_early_takeover()`;
  });
  return () => withDatabase(url.reveal(), async (sql) => (await sql`select from early_takeovers`).length);
}

async function withDatabase<Result>(address: string, use: (sql: SQL) => Promise<Result>): Promise<Result> {
  const sql = new SQL(address, { max: 1 });
  try {
    return await use(sql);
  } finally {
    await sql.close();
  }
}
