import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { refuseFarBehind } from "../usage/refuse-far-behind.ts";

/** Entries that are not in the rollups, which a report adds up by itself, and an erasure changes while no rollup is updated: about a second. */
const MAX_UNROLLED = 200_000;

/** Up to which entry rollups and the ledger reach. */
export interface Reach {
  readonly asOfId: number;
  readonly lastId: number;
}

/** The watermarks of the rollups of all usage, and of those by end user, conversation and tag, which follow them. */
type Rolled = "usage_rolled" | "attribution_rolled";

/** Throws `overloaded` where too many entries are missing. `isLocked`: nobody else moves the watermark until the end of the transaction. */
export async function readReach(connection: PostgresConnection, table: Rolled, isLocked = false): Promise<Reach> {
  const sql = `select as_of_id, last_id from ${table}, ledger_head ${isLocked ? `for update of ${table}` : ""}`;
  const [row] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(sql);
  const reach = { asOfId: Number(row!.as_of_id), lastId: Number(row!.last_id) };
  refuseFarBehind(reach.asOfId, reach.lastId, MAX_UNROLLED);
  return reach;
}
