/** The request that is in flight under a scope. */
export interface ClaimedRequest {
  /** Digest of the request body. */
  readonly digest: string;
  readonly requestId: string;
  /** Resolves when the claim of this request is released, and possibly sooner: a waiting caller claims again. */
  readonly released: Promise<void>;
}

/** The right of one request to be served under a scope. */
export interface Claim {
  /**
   * Ends the claim. Resolves when another request can claim the scope. While the process that grants claims is away, it resolves at once,
   * and that process learns of the release later. Never throws; calls after the first do nothing.
   */
  release(): Promise<void>;
}

/**
 * Idempotency claims: at most one request at a time is served under a scope, which is an API key with the client's `Idempotency-Key`. A
 * claim names the request in flight; the ledger has the replies of ended requests. Claims are not durable: a request and its claim end with
 * their process.
 *
 * If another process grants claims, `claim` and `find` fail with the 503 of `authorityAway` while it is away. `claim` also fails with it
 * while the request in flight is in a process that is not connected: whether that request has a reply is unknown.
 */
export interface ClaimStore {
  /**
   * Claims a scope for a request, or returns the request in flight that has claimed it. Exactly one of several concurrent calls gets the
   * claim. Read the stored reply after claiming: if a request ended between an earlier read and the claim, it would be served twice.
   */
  claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest>;
  /** The request in flight under a scope, if any. It may have ended when this resolves. */
  find(scope: string): Promise<ClaimedRequest | undefined>;
}
