/**
 * What happens to a call whose client disconnects before the upstream has counted its tokens. A model may have generated more than the
 * client has seen, such as hidden reasoning, and the provider bills it.
 *
 * `read`: the call continues, within bounds, until the upstream has counted the tokens, and is charged by that count. `cancel`: the call is
 * cancelled, and the received text is charged. `hold`: the call is cancelled, and all the output that credit was held for is charged.
 */
export const DISCONNECT_POLICIES = ["read", "cancel", "hold"] as const;

export type DisconnectPolicy = (typeof DISCONNECT_POLICIES)[number];

/** The bounds of `read`. A call that reaches one of these bounds is cancelled, and charged as under `hold`. */
export const READ_ON_MS = 5 * 60_000;
export const READ_ON_CHARS = 16 * 1024 * 1024;
