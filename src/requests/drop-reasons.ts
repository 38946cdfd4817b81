/**
 * Why a request is not kept in the request log: the queue was full, because nothing can be written or not fast enough; its caller had
 * no valid key, of which only so many a minute are kept; or the log has all the room on the disk that it may have.
 */
export const DROP_REASONS = ["queue_full", "without_key", "no_disk_room"] as const;

/**
 * Why bodies that an account wants kept are not, while their request is: too many waited to be written; the operator's hook failed or
 * took too long; or the log has all the room on the disk that it may have.
 */
export const BODY_DROP_REASONS = ["no_memory", "hook_failed", "no_disk_room"] as const;
