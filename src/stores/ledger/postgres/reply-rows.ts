import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { IdempotentReply } from "../ledger-store.ts";

const RETENTION_MS = 24 * 3600 * 1000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

interface ReplyRow {
  readonly digest: string;
  readonly request_id: string;
  readonly at_ms: bigint;
  readonly headers: string;
  readonly body: string | null;
}

/** The idempotent reply stored under this scope in the last 24 hours. */
export async function findReply(pool: PostgresPool, scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
  const text = "select digest, request_id, at_ms, headers, body from answers where scope = $1 and at_ms > $2::bigint";
  const [row] = await pool.query<ReplyRow>(text, [scope, nowMs - RETENTION_MS]);
  if (!row) return undefined;
  const headers = JSON.parse(row.headers) as Record<string, string>;
  return { scope, digest: row.digest, requestId: row.request_id, atMs: Number(row.at_ms), headers, body: row.body ?? undefined };
}

/** Deletes idempotent replies after 24 hours, and the oldest beyond 256 MB. Once a minute is enough, in one process of all. */
export async function deleteOldReplies(pool: PostgresPool, nowMs: number, maxTotalBytes: number = MAX_TOTAL_BYTES): Promise<void> {
  await pool.query("delete from answers where at_ms <= $1::bigint", [nowMs - RETENTION_MS]);
  const text = `delete from answers where scope in (select scope from
    (select scope, sum(octet_length(body)) over (order by at_ms desc, scope) as bytes from answers) newest where bytes > $1::bigint)`;
  await pool.query(text, [maxTotalBytes]);
}
