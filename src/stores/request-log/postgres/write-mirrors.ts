import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { dayOf } from "../days/log-folder.ts";
import { uuidOf } from "../days/request-table.ts";
import { tablesOf } from "./day-tables.ts";
import { isInvalidData, isMissingTable, type LogPartitions } from "./log-partitions.ts";
import { storable } from "./row-batch.ts";

/** Within the JSON, so that PostgreSQL can read it as such: it rejects the escape of a NUL character. */
function storableValue(_: string, value: unknown): unknown {
  return typeof value === "string" ? storable(value) : value;
}

/** Writes the results of mirrored requests, into the table of today. Whether it succeeded, or cannot succeed at all. */
export async function writeMirrors(
  results: readonly MirrorResult[],
  { pool, partitions, nowMs }: { pool: PostgresPool; partitions: LogPartitions; nowMs: () => number },
): Promise<boolean> {
  const day = dayOf(nowMs());
  try {
    await partitions.ensure(day);
    await pool.query(
      `insert into ${tablesOf(day).mirrors} select * from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
      [
        results.map(({ requestId }) => uuidOf(requestId)!),
        results.map(({ model }) => storable(model)),
        results.map((result) => JSON.stringify(result, storableValue)),
      ],
    );
    return true;
  } catch (error) {
    // The day was dropped meanwhile.
    if (isMissingTable(error)) partitions.forget(day);
    return isInvalidData(error);
  }
}
