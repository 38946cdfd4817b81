/**
 * Why a request is not stored in the request log: the queue was full, because writes fail or are too slow; its caller had no valid key
 * (only a limited number of such requests per minute is stored); or the log has reached its maximum size on disk.
 */
export const DROP_REASONS = ["queue_full", "without_key", "no_disk_room"] as const;

/**
 * Why the bodies of a stored request are not stored: too many were queued for writing; the operator's redaction hook failed or
 * timed out; or the log has reached its maximum size on disk.
 */
export const BODY_DROP_REASONS = ["no_memory", "hook_failed", "no_disk_room"] as const;

/**
 * Why a sampled request is not mirrored: too much memory is held for mirrors; too many calls to the mirror are in flight; its circuit
 * breaker has ejected it; its upstream has no free credential or concurrency slot, or was removed; or the process stopped.
 */
export const MIRROR_DROP_REASONS = ["memory", "in_flight", "ejected", "unavailable", "stopped"] as const;

export type MirrorDropReason = (typeof MIRROR_DROP_REASONS)[number];
