/**
 * Why a connection was closed, or its request rejected unread, to bound the resources of clients: the listener was full (`full`), its
 * address had too many connections without a valid key (`address_limit`), it did not authenticate in time (`unauthenticated`), or it kept
 * sending a rejected body (`rejected_upload`).
 */
export const CONNECTION_CLOSURES = ["full", "address_limit", "unauthenticated", "rejected_upload"] as const;

export type ConnectionClosure = (typeof CONNECTION_CLOSURES)[number];
