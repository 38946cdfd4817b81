import { SQL } from "bun";
import type { Cluster } from "../support/gateway/start-cluster.ts";

/** Sets the clock of the database a minute ahead: a process that does not renew its lease is lost. */
export async function passAMinute({ url }: Pick<Cluster, "url">): Promise<void> {
  const sql = new SQL(url.reveal(), { max: 1 });
  try {
    await sql`create or replace function authority_now() returns timestamptz language sql volatile as
      'select clock_timestamp() + interval ''1 minute'''`;
  } finally {
    await sql.close();
  }
}
