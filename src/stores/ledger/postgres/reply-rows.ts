import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { IdempotentReply } from "../ledger-store.ts";

const RETENTION_MS = 24 * 3600 * 1000;

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

const DELETE_EXPIRED = `delete from answers
  where scope in (select scope from answers where at_ms <= $1::bigint order by at_ms limit $2::integer)`;
const DELETE_BEYOND = `delete from answers where scope in (select scope from
  (select scope, at_ms, sum(octet_length(body)) over (order by at_ms desc, scope) as bytes from answers) newest
  where bytes > $1::bigint order by at_ms limit $2::integer)`;

/** The most that are deleted, and stored. */
export interface ReplyLimits {
  /** By one statement, so that it stays below its time limit. */
  readonly atOnce: number;
  readonly totalBytes: number;
}

const LIMITS: ReplyLimits = { atOnce: 500, totalBytes: 256 * 1024 * 1024 };

/** Deletes some idempotent replies that are older than 24 hours, and some of the oldest beyond 256 MB. Whether there may be more of them. */
export async function deleteOldReplies(pool: Pick<PostgresPool, "query">, nowMs: number, limits: ReplyLimits = LIMITS): Promise<boolean> {
  const { atOnce, totalBytes } = limits;
  const expired = await pool.query(DELETE_EXPIRED, [nowMs - RETENTION_MS, atOnce]);
  const beyond = await pool.query(DELETE_BEYOND, [totalBytes, atOnce]);
  return Math.max(expired.count, beyond.count) >= atOnce;
}
