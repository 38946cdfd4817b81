import { IDEMPOTENCY_RETENTION_MS } from "../../requests/idempotency-retention.ts";

/** SQL: how long an idempotency key is known. */
export const IDEMPOTENCY_RETENTION = `${IDEMPOTENCY_RETENTION_MS} * interval '1 ms'`;

/**
 * SQL: the run of the database server. It is another one after every restart and failover, and after a restore of the server's files: the last transactions
 * may be lost then, and with them idempotency claims and stored replies of processes that run on.
 */
export const SERVER_RUN = "extract(epoch from pg_postmaster_start_time())::text";

/**
 * SQL: the processes that have not stated their claims and replies in this run of the server. While there is one, nobody knows which requests
 * were served, so none is served under an idempotency key. A process that was lost for longer has no reply that the database could lack. `own`: the parameter with the id of the calling process, which must have stated its
 * own; null where there is none.
 */
export function unstatedProcesses(own: string): string {
  return `select id from instances where state = 'live' and stated_run <> ${SERVER_RUN} and seen_at > authority_now() - ${IDEMPOTENCY_RETENTION}
    union select ${own}::text where ${own}::text is not null
      and not exists (select from instances where id = ${own}::text and stated_run = ${SERVER_RUN})`;
}
