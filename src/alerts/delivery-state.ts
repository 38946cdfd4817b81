/**
 * `pending` until it is `delivered`; `failed` where all tries were in vain; `dropped` where more was pending for its webhook than
 * is kept.
 */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "dropped"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Between two tries of a delivery. A receiver may ask for more patience, but not for more than there is. */
export const LONGEST_DELIVERY_WAIT_MS = 24 * 60 * 60 * 1000;
