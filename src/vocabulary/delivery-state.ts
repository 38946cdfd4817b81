/**
 * `pending` until it is `delivered`; `failed` where all tries were in vain; `dropped` where more was pending for its webhook than
 * is kept.
 */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "dropped"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];
