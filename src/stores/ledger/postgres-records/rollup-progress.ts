import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { refuseFarBehind } from "../usage/refuse-far-behind.ts";

/**
 * The maximum number of entries that are not in the rollups. A report adds them up, and an erasure changes them while no rollup is updated,
 * which takes about a second.
 */
const MAX_UNROLLED = 200_000;

/** The last entry in the rollups, and the last entry in the ledger. */
export interface RollupProgress {
  readonly asOfId: number;
  readonly lastId: number;
}

/** The watermark tables: of the rollups of all usage, and of the rollups by end user, conversation and tag, which follow them. */
type WatermarkTable = "usage_rolled" | "attribution_rolled";

/**
 * Reads the watermark and the last entry. Throws `overloaded` if too many entries are missing. With `isLocked`, no other process moves the
 * watermark until the end of the transaction.
 */
export async function readRollupProgress(connection: PostgresConnection, table: WatermarkTable, isLocked = false): Promise<RollupProgress> {
  const sql = `select as_of_id, last_id from ${table}, ledger_head ${isLocked ? `for update of ${table}` : ""}`;
  const [row] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(sql);
  const reach = { asOfId: Number(row!.as_of_id), lastId: Number(row!.last_id) };
  refuseFarBehind(reach.asOfId, reach.lastId, MAX_UNROLLED);
  return reach;
}
