import { IDEMPOTENCY_RETENTION_MS } from "../../../requests/idempotency-retention.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { unstatedProcesses } from "../../postgres/server-run.ts";
import { AuthorityUnavailable } from "../leases/authority.ts";
import type { IdempotentReply } from "../ledger-store.ts";

interface FoundRow {
  /** Null where there is no reply, like all others then. */
  readonly digest: string | null;
  readonly request_id: string;
  readonly at_ms: bigint;
  readonly headers: string;
  readonly body: string | null;
  /** The processes that have not stated their replies. */
  readonly unstated: readonly string[];
}

const FIND = `select a.digest, a.request_id, a.at_ms, a.headers, a.body, array(${unstatedProcesses("$3")}) as unstated
  from (select) one left join answers a on a.scope = $1 and a.at_ms > $2::bigint`;

/**
 * The idempotent reply stored under this scope in the last 24 hours. Throws `AuthorityUnavailable` where there is none, but a process may have
 * one that a restored database has lost. `ownId`: of this process.
 */
export async function findReply(
  pool: PostgresPool,
  scope: string,
  nowMs: number,
  ownId: string | undefined,
): Promise<IdempotentReply | undefined> {
  const [found] = await pool.query<FoundRow>(FIND, [scope, nowMs - IDEMPOTENCY_RETENTION_MS, ownId ?? null]);
  const { digest, request_id: requestId, at_ms: atMs, headers, body, unstated } = found!;
  if (digest !== null) return { scope, digest, requestId, atMs: Number(atMs), headers: readHeaders(headers), body: body ?? undefined };
  if (unstated.length > 0)
    throw new AuthorityUnavailable(`the replies of ${unstated.join(", ")} are unknown since the start of the database`);
  return undefined;
}

function readHeaders(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>;
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
  const expired = await pool.query(DELETE_EXPIRED, [nowMs - IDEMPOTENCY_RETENTION_MS, atOnce]);
  const beyond = await pool.query(DELETE_BEYOND, [totalBytes, atOnce]);
  return Math.max(expired.count, beyond.count) >= atOnce;
}
