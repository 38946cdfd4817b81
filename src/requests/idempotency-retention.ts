/** How long an idempotency key and the response stored under it are known. A request that repeats it later is served, and charged. */
export const IDEMPOTENCY_RETENTION_MS = 24 * 3600 * 1000;
