/** How long an idempotency key and its stored response are retained. A later request with the same key is served, and charged, again. */
export const IDEMPOTENCY_RETENTION_MS = 24 * 3600 * 1000;
