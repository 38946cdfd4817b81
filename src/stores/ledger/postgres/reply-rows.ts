import { IDEMPOTENCY_RETENTION_MS } from "../../../requests/idempotency-retention.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { unstatedProcesses } from "../../postgres/server-run.ts";
import { AuthorityUnavailable } from "../leases/authority.ts";
import type { IdempotentReply } from "../ledger-store.ts";

interface FoundRow {
  /** Null if there is no reply, like all other columns. */
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
 * The idempotent reply stored under this scope in the last 24 hours. Throws `AuthorityUnavailable` if there is none, but a process may have
 * a reply that a restored database has lost. `ownId`: the id of this process.
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
/**
 * Replies by account. The scope is the id of a key, a colon, and the idempotency key; the key's account is used. `newer`: the size of a
 * reply and of all newer replies of its account.
 */
const WITH_NEWER = `select scope, at_ms, octet_length(body) as own,
  sum(octet_length(body)) over (partition by coalesce(k.account_id, substring(scope from '^([^:]*):')) order by at_ms desc, scope) as newer
  from answers left join keys k on k.id = substring(scope from '^([^:]*):')`;
/** Ranks each reply by `newer`, so that the account with the largest total loses its oldest replies first. */
const DELETE_BEYOND = `delete from answers where scope in (select scope from
  (select scope, newer, sum(own) over (order by newer, at_ms desc, scope) as bytes from (${WITH_NEWER}) each) kept
  where bytes > $1::bigint order by newer desc limit $2::integer)`;

/** The limits on deletions and on the stored size. */
interface ReplyLimits {
  /** Rows deleted by one statement, so that it stays below its time limit. */
  readonly atOnce: number;
  readonly totalBytes: number;
}

const LIMITS: ReplyLimits = { atOnce: 500, totalBytes: 256 * 1024 * 1024 };

/**
 * Deletes a batch of idempotent replies that are older than 24 hours. Beyond 256 MB, also deletes a batch of the oldest replies of the
 * accounts with the largest totals. Returns whether there may be more to delete.
 */
export async function deleteOldReplies(pool: Pick<PostgresPool, "query">, nowMs: number, limits: ReplyLimits = LIMITS): Promise<boolean> {
  const { atOnce, totalBytes } = limits;
  const expired = await pool.query(DELETE_EXPIRED, [nowMs - IDEMPOTENCY_RETENTION_MS, atOnce]);
  const beyond = await pool.query(DELETE_BEYOND, [totalBytes, atOnce]);
  return Math.max(expired.count, beyond.count) >= atOnce;
}
