/**
 * Why a connection was closed, or its request rejected unread, to bound what callers can hold: the listener had no room (`full`), its
 * address had too many without a valid key (`address_limit`), it had none for too long (`unauthenticated`), or it went on sending a body
 * that was rejected (`rejected_upload`).
 */
export const CONNECTION_CLOSURES = ["full", "address_limit", "unauthenticated", "rejected_upload"] as const;

export type ConnectionClosure = (typeof CONNECTION_CLOSURES)[number];
