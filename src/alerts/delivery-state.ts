/**
 * `pending` until it is `delivered`; `failed` after the last attempt; `dropped` when too many deliveries were pending for its webhook.
 */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "dropped"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The longest wait between two attempts. A receiver's `Retry-After` is honoured up to this. */
export const MAX_DELIVERY_WAIT_MS = 24 * 60 * 60 * 1000;
