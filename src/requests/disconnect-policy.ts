/**
 * What happens to a call whose client disconnects before the upstream has counted its tokens. A model may have generated more than the client
 * has seen, such as hidden reasoning, and the provider bills it.
 *
 * `read`: the call goes on until the upstream has counted, within bounds, and then costs what it has counted. `cancel`: the call is cancelled,
 * and the received text is charged. `hold`: the call is cancelled, and all of the output that was held is charged.
 */
export const DISCONNECT_POLICIES = ["read", "cancel", "hold"] as const;

export type DisconnectPolicy = (typeof DISCONNECT_POLICIES)[number];

/** The bounds of `read`. A call that reaches one of them is cancelled, and charged like one of `hold`. */
export const READ_ON_MS = 5 * 60_000;
export const READ_ON_CHARS = 16 * 1024 * 1024;
