import { IDEMPOTENCY_RETENTION_MS } from "../../requests/idempotency-retention.ts";

/** SQL: how long an idempotency key is valid. */
export const IDEMPOTENCY_RETENTION = `${IDEMPOTENCY_RETENTION_MS} * interval '1 ms'`;

/**
 * SQL: the run of the database server. It changes after every restart and failover, and after a restore of the server's files. Then the
 * last transactions may be lost, with idempotency claims and stored replies of processes that continue to run.
 */
export const SERVER_RUN = "extract(epoch from pg_postmaster_start_time())::text";

/**
 * SQL: the processes that have not stated their claims and replies in this run of the server. While there is such a process, it is unknown
 * which requests were served, so no request with an idempotency key is served. A process that was lost for longer than the retention has no
 * reply that the database could lack. `own`: the parameter with the id of the calling process, which must have stated its claims itself;
 * null if there is no calling process.
 */
export function unstatedProcesses(own: string): string {
  return `select id from instances where state = 'live' and stated_run <> ${SERVER_RUN} and seen_at > authority_now() - ${IDEMPOTENCY_RETENTION}
    union select ${own}::text where ${own}::text is not null
      and not exists (select from instances where id = ${own}::text and stated_run = ${SERVER_RUN})`;
}
