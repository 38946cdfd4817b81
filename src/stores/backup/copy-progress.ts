import type { Database as SqliteFile } from "bun:sqlite";
import { readProgress } from "../ledger/postgres/write-set.ts";
import { toProgressFields } from "../ledger/progress-fields.ts";
import type { PostgresConnection } from "../postgres/postgres-pool.ts";

/** Copies the last reported progress of responses in flight, which decides how their holds are closed. */
export async function copyProgress(connection: PostgresConnection, file: SqliteFile): Promise<void> {
  const rows = await connection.query<{ request_id: string; progress: string }>(
    "select request_id, progress from open_holds where progress is not null",
  );
  const insert = file.query("insert into progress (request_id, cost_nanos, says) values (?, ?, ?)");
  for (const { request_id: requestId, progress } of rows) {
    const reported = readProgress(progress);
    insert.run(requestId, reported.costNanos, JSON.stringify(toProgressFields(reported)));
  }
}
