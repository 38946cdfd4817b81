import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import type { BucketInterval, QuarterPart } from "./usage-parts.ts";

/**
 * Decides where partial quarter hours are read: from the rollups if the rest of the quarter hour is empty, otherwise from the entries. The
 * rollups by end user include no entry that the rollups of all usage lack, so the decision holds for both.
 */
export async function splitByRollupCoverage(
  connection: PostgresConnection,
  parts: readonly QuarterPart[],
  accountId: string,
): Promise<{ inRollups: readonly BucketInterval[]; inEntries: readonly QuarterPart[] }> {
  if (parts.length === 0) return { inRollups: [], inEntries: [] };
  const rows = await connection.query<{ slot: bigint; first_ms: bigint; last_ms: bigint }>(
    `select slot, min(first_ms) as first_ms, max(last_ms) as last_ms from usage_sums
    where account_id = $1 and grain = 'quarter' and slot = any($2::bigint[]) group by slot`,
    [accountId, [...new Set(parts.map(({ slot }) => slot))]],
  );
  const used = new Map(
    rows.map(({ slot, first_ms: first, last_ms: last }) => [Number(slot), { first: Number(first), last: Number(last) }]),
  );
  const inRollups: BucketInterval[] = [];
  const inEntries: QuarterPart[] = [];
  for (const part of parts) {
    const extent = used.get(part.slot);
    if (!extent) continue;
    const { bucketMs, slot, fromMs, toMs } = part;
    if (extent.first < fromMs || extent.last >= toMs) inEntries.push(part);
    else inRollups.push({ bucketMs, granularity: "quarter", firstSlot: slot, endSlot: slot + 1, isSubtracted: false });
  }
  return { inRollups, inEntries };
}
