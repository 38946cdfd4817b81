/**
 * Why a request is not stored in the request log: the queue was full, because writes fail or are too slow; its caller had
 * no valid key, of which only a limited number per minute is stored; or the log has reached its maximum size on disk.
 */
export const DROP_REASONS = ["queue_full", "without_key", "no_disk_room"] as const;

/**
 * Why the bodies of a stored request are not stored: too many were queued for writing; the operator's redaction hook failed or
 * timed out; or the log has reached its maximum size on disk.
 */
export const BODY_DROP_REASONS = ["no_memory", "hook_failed", "no_disk_room"] as const;
